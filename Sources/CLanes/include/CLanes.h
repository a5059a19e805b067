#pragma once
#include <stdint.h>

// Arithmetic on vectors of floats. In C because the operators of Swift's SIMD types are loops over the lanes, of which
// the compiler restores only parts in large functions; they take 1.2 to 1.4 times as long.
//
// Every function is inlined, with the instruction set of the Swift module that calls it. The products and sums of these
// functions must not be contracted to fused multiply-adds, which round once instead of twice. Each function is one
// expression with one operation, and the pragma forbids contraction whatever the flags of the compiler are.

#define CLANES_FUNCTION(name) \
  __attribute__((always_inline, unused, swift_name(name))) static inline

#define CLANES_EXACT _Pragma("clang fp contract(off)")

#define CLANES_FUNCTIONS(n)                                                                                            \
  typedef float clanes_floats##n __attribute__((ext_vector_type(n)));                                                  \
  typedef uint32_t clanes_words##n __attribute__((ext_vector_type(n)));                                                \
  typedef int32_t clanes_masks##n __attribute__((ext_vector_type(n)));                                                 \
                                                                                                                       \
  CLANES_FUNCTION("clanes_add(_:_:)")                                                                                  \
  clanes_floats##n clanes_add##n(clanes_floats##n a, clanes_floats##n b) { CLANES_EXACT return a + b; }                \
                                                                                                                       \
  CLANES_FUNCTION("clanes_subtract(_:_:)")                                                                             \
  clanes_floats##n clanes_subtract##n(clanes_floats##n a, clanes_floats##n b) { CLANES_EXACT return a - b; }           \
                                                                                                                       \
  CLANES_FUNCTION("clanes_multiply(_:_:)")                                                                             \
  clanes_floats##n clanes_multiply##n(clanes_floats##n a, clanes_floats##n b) { CLANES_EXACT return a * b; }           \
                                                                                                                       \
  CLANES_FUNCTION("clanes_negate(_:)")                                                                                 \
  clanes_floats##n clanes_negate##n(clanes_floats##n a) { return -a; }                                                 \
                                                                                                                       \
  /* a * b + c with one rounding; only for processors that have the instruction. */                                    \
  CLANES_FUNCTION("clanes_fused(_:_:_:)")                                                                              \
  clanes_floats##n clanes_fused##n(clanes_floats##n a, clanes_floats##n b, clanes_floats##n c) {                       \
    return __builtin_elementwise_fma(a, b, c);                                                                         \
  }                                                                                                                    \
                                                                                                                       \
  /* Only for processors that have the instruction. */                                                                 \
  CLANES_FUNCTION("clanes_floor(_:)")                                                                                  \
  clanes_floats##n clanes_floor##n(clanes_floats##n a) { return __builtin_elementwise_floor(a); }                      \
                                                                                                                       \
  /* The lanes of a that are smaller than b, else those of b; those of b if a is NaN. */                               \
  CLANES_FUNCTION("clanes_smaller(_:_:)")                                                                              \
  clanes_floats##n clanes_smaller##n(clanes_floats##n a, clanes_floats##n b) { return a < b ? a : b; }                 \
                                                                                                                       \
  /* The lanes of a that are larger than b, else those of b. */                                                        \
  CLANES_FUNCTION("clanes_larger(_:_:)")                                                                               \
  clanes_floats##n clanes_larger##n(clanes_floats##n a, clanes_floats##n b) { return a > b ? a : b; }                  \
                                                                                                                       \
  /* The lanes of a where the mask is -1, those of b where it is 0. */                                                 \
  CLANES_FUNCTION("clanes_select(_:_:_:)")                                                                             \
  clanes_floats##n clanes_select##n(clanes_masks##n mask, clanes_floats##n a, clanes_floats##n b) {                    \
    return mask ? a : b;                                                                                               \
  }                                                                                                                    \
                                                                                                                       \
  /* -1 where a is larger than b, else 0. */                                                                           \
  CLANES_FUNCTION("clanes_is_larger(_:_:)")                                                                            \
  clanes_masks##n clanes_is_larger##n(clanes_floats##n a, clanes_floats##n b) { return a > b; }                        \
                                                                                                                       \
  /* Conversion of integers below 2^31. */                                                                             \
  CLANES_FUNCTION("clanes_float(_:)")                                                                                  \
  clanes_floats##n clanes_float##n(clanes_words##n a) {                                                                \
    return __builtin_convertvector((clanes_masks##n)a, clanes_floats##n);                                              \
  }                                                                                                                    \
                                                                                                                       \
  /* Truncation of numbers from 0 to below 2^31; undefined for others. */                                              \
  CLANES_FUNCTION("clanes_truncate(_:)")                                                                               \
  clanes_words##n clanes_truncate##n(clanes_floats##n a) {                                                             \
    return (clanes_words##n)__builtin_convertvector(a, clanes_masks##n);                                               \
  }

CLANES_FUNCTIONS(8)
CLANES_FUNCTIONS(16)

#undef CLANES_FUNCTIONS
#undef CLANES_EXACT
#undef CLANES_FUNCTION
