#pragma once
#include <stdint.h>

// Arithmetic on vectors of floats, in C because the operators of Swift's SIMD types are loops over the lanes. In large
// functions, the compiler vectorizes only parts of these loops, and the code takes 1.2 to 1.4 times as long.
//
// Every function is inlined, with the instruction set of the Swift module that calls it. The products and sums of these
// functions must not be contracted to fused multiply-adds, which round once instead of twice. Each function is one
// expression with one operation, and the pragma forbids contraction whatever the flags of the compiler are.

#define CLANES_FUNCTION(name) \
  __attribute__((always_inline, unused, swift_name(name))) static inline

#define CLANES_EXACT _Pragma("clang fp contract(off)")

// One instruction of each processor.
#ifdef __aarch64__
#define CLANES_SMALLER(a, b) __builtin_elementwise_minnum(a, b)
#define CLANES_LARGER(a, b) __builtin_elementwise_maxnum(a, b)
#else
#define CLANES_SMALLER(a, b) (a < b ? a : b)
#define CLANES_LARGER(a, b) (a > b ? a : b)
#endif

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
  CLANES_FUNCTION("clanes_divide(_:_:)")                                                                               \
  clanes_floats##n clanes_divide##n(clanes_floats##n a, clanes_floats##n b) { CLANES_EXACT return a / b; }             \
                                                                                                                       \
  CLANES_FUNCTION("clanes_negate(_:)")                                                                                 \
  clanes_floats##n clanes_negate##n(clanes_floats##n a) { return -a; }                                                 \
                                                                                                                       \
  /* The lanes of a, negated where the highest bit of signs is set; its other bits are 0. */                             \
  CLANES_FUNCTION("clanes_negate(_:where:)")                                                                           \
  clanes_floats##n clanes_negate_where##n(clanes_floats##n a, clanes_words##n signs) {                                 \
    return (clanes_floats##n)((clanes_words##n)a ^ signs);                                                             \
  }                                                                                                                    \
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
  /* The lanes of a that are smaller than b, else those of b; those of b if a is NaN. b must not be NaN. */              \
  CLANES_FUNCTION("clanes_smaller(_:_:)")                                                                              \
  clanes_floats##n clanes_smaller##n(clanes_floats##n a, clanes_floats##n b) { return CLANES_SMALLER(a, b); }          \
                                                                                                                       \
  /* The lanes of a that are larger than b, else those of b. */                                                        \
  CLANES_FUNCTION("clanes_larger(_:_:)")                                                                               \
  clanes_floats##n clanes_larger##n(clanes_floats##n a, clanes_floats##n b) { return CLANES_LARGER(a, b); }            \
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
  }                                                                                                                    \
                                                                                                                       \
  CLANES_FUNCTION("clanes_and(_:_:)")                                                                                  \
  clanes_words##n clanes_and##n(clanes_words##n a, clanes_words##n b) { return a & b; }                                \
                                                                                                                       \
  CLANES_FUNCTION("clanes_or(_:_:)")                                                                                   \
  clanes_words##n clanes_or##n(clanes_words##n a, clanes_words##n b) { return a | b; }                                 \
                                                                                                                       \
  /* Shifts by counts modulo 32. */                                                                                    \
  CLANES_FUNCTION("clanes_shift_left(_:_:)")                                                                           \
  clanes_words##n clanes_shift_left##n(clanes_words##n a, clanes_words##n counts) { return a << (counts & 31); }       \
                                                                                                                       \
  CLANES_FUNCTION("clanes_shift_right(_:_:)")                                                                          \
  clanes_words##n clanes_shift_right##n(clanes_words##n a, clanes_words##n counts) { return a >> (counts & 31); }

CLANES_FUNCTIONS(4)
CLANES_FUNCTIONS(8)
CLANES_FUNCTIONS(16)

#ifdef __aarch64__
// The last argument of a builtin function for NEON is clang's code of its type: 48 for 16 bytes, 50 for 4 words.
typedef __attribute__((neon_vector_type(16))) signed char clanes_bytes;
typedef __attribute__((neon_vector_type(16))) unsigned char clanes_unsigned_bytes;

// a * b[k] and a * b[k] + c, the latter with one rounding: one instruction, which selects the factor in its register.
#define CLANES_FACTOR(k)                                                                                               \
  CLANES_FUNCTION("clanes_multiply" #k "(_:_:)")                                                                       \
  clanes_floats4 clanes_multiply##k(clanes_floats4 a, clanes_floats4 b) {                                              \
    CLANES_EXACT return a * __builtin_shufflevector(b, b, k, k, k, k);                                                 \
  }                                                                                                                    \
                                                                                                                       \
  CLANES_FUNCTION("clanes_fused" #k "(_:_:_:)")                                                                        \
  clanes_floats4 clanes_fused##k(clanes_floats4 a, clanes_floats4 b, clanes_floats4 c) {                               \
    return __builtin_elementwise_fma(a, __builtin_shufflevector(b, b, k, k, k, k), c);                                 \
  }

CLANES_FACTOR(0)
CLANES_FACTOR(1)
CLANES_FACTOR(2)
CLANES_FACTOR(3)

#undef CLANES_FACTOR

// The whole part of a from 0 to 2^32 - 1; lanes outside of this range become its nearer end.
CLANES_FUNCTION("clanes_saturate(_:)")
clanes_words4 clanes_saturate4(clanes_floats4 a) {
  return (clanes_words4)__builtin_neon_vcvtq_u32_v((clanes_bytes)a, 50);
}

// Bytes of one, three or four vectors by their numbers; a number without a byte selects 0.
CLANES_FUNCTION("clanes_bytes(_:_:)")
clanes_words4 clanes_bytes1(clanes_words4 a, clanes_words4 numbers) {
  return (clanes_words4)__builtin_neon_vqtbl1q_v((clanes_bytes)a, (clanes_bytes)numbers, 48);
}

CLANES_FUNCTION("clanes_bytes(_:_:_:_:)")
clanes_words4 clanes_bytes3(clanes_words4 a, clanes_words4 b, clanes_words4 c, clanes_words4 numbers) {
  return (clanes_words4)__builtin_neon_vqtbl3q_v(
      (clanes_bytes)a, (clanes_bytes)b, (clanes_bytes)c, (clanes_bytes)numbers, 48);
}

CLANES_FUNCTION("clanes_bytes(_:_:_:_:_:)")
clanes_words4 clanes_bytes4(clanes_words4 a, clanes_words4 b, clanes_words4 c, clanes_words4 d, clanes_words4 numbers) {
  return (clanes_words4)__builtin_neon_vqtbl4q_v(
      (clanes_bytes)a, (clanes_bytes)b, (clanes_bytes)c, (clanes_bytes)d, (clanes_bytes)numbers, 48);
}

// For each lane a number of the magnitude 1 + ((a >> 28) & 7), positive if the highest bit is 1. The four highest bits
// select the two upper bytes of the number from two tables; its lower bytes are 0.
CLANES_FUNCTION("clanes_slopes(_:)")
clanes_floats4 clanes_slopes(clanes_words4 a) {
  const clanes_unsigned_bytes highest = {0xbf, 0xc0, 0xc0, 0xc0, 0xc0, 0xc0, 0xc0, 0xc1,
                                         0x3f, 0x40, 0x40, 0x40, 0x40, 0x40, 0x40, 0x41};
  const clanes_unsigned_bytes second = {0x80, 0x00, 0x40, 0x80, 0xa0, 0xc0, 0xe0, 0x00,
                                        0x80, 0x00, 0x40, 0x80, 0xa0, 0xc0, 0xe0, 0x00};
  clanes_bytes twice = __builtin_neon_vsriq_n_v((clanes_bytes)a, (clanes_bytes)a, 8, 50);
  clanes_words4 numbers = (clanes_words4)((clanes_unsigned_bytes)twice >> 4) | 0x0010ffff;
  return (clanes_floats4)__builtin_neon_vqtbl2q_v(
      (clanes_bytes)highest, (clanes_bytes)second, (clanes_bytes)numbers, 48);
}

// Returns a. The compiler does not know the lanes of the result, so it keeps them in one register.
CLANES_FUNCTION("clanes_in_one_register(_:)")
clanes_floats4 clanes_in_one_register(clanes_floats4 a) {
  __asm__("" : "+w"(a));
  return a;
}
#endif

// Replaces the bytes in memory that are 0 in kept. With AVX-512, no byte is read, because sixteen rows of a picture can
// share one set of the first-level cache. A row that is read would then leave the cache before it is written.
#define CLANES_REPLACE(n)                                                                                              \
  CLANES_FUNCTION("clanes_replace(_:_:keeping:)")                                                                      \
  void clanes_replace##n(void *memory, clanes_words##n a, clanes_words##n kept) {                                      \
    clanes_words##n old;                                                                                               \
    __builtin_memcpy(&old, memory, sizeof old);                                                                        \
    a |= old & kept;                                                                                                   \
    __builtin_memcpy(memory, &a, sizeof a);                                                                            \
  }

CLANES_REPLACE(4)
CLANES_REPLACE(8)

#undef CLANES_REPLACE

#ifdef __AVX512BW__
typedef char clanes_bytes64 __attribute__((vector_size(64)));

CLANES_FUNCTION("clanes_replace(_:_:keeping:)")
void clanes_replace16(void *memory, clanes_words16 a, clanes_words16 kept) {
  __builtin_ia32_storedquqi512_mask(
      (clanes_bytes64 *)memory, (clanes_bytes64)a, __builtin_ia32_cvtb2mask512((clanes_bytes64)~kept));
}
#endif

// Loads a cache line that is read soon; the address need not be valid.
CLANES_FUNCTION("clanes_prefetch(_:)")
void clanes_prefetch(const void *memory) { __builtin_prefetch(memory); }

// Selects lanes of two vectors by number; the lanes of b follow those of a. The functions are in C because the compiler
// can require twelve shuffles for a vector that Swift builds lane by lane.
#define CLANES_SHUFFLE(name, n, ...)                                                                                   \
  CLANES_FUNCTION("clanes_" #name "(_:_:)")                                                                            \
  clanes_words##n clanes_##name##n(clanes_words##n a, clanes_words##n b) {                                             \
    return __builtin_shufflevector(a, b, __VA_ARGS__);                                                                 \
  }

CLANES_SHUFFLE(low_pairs, 4, 0, 1, 4, 5)
CLANES_SHUFFLE(high_pairs, 4, 2, 3, 6, 7)
CLANES_SHUFFLE(even_words, 4, 0, 2, 4, 6)
CLANES_SHUFFLE(odd_words, 4, 1, 3, 5, 7)
CLANES_SHUFFLE(low_pairs, 8, 0, 1, 8, 9, 4, 5, 12, 13)
CLANES_SHUFFLE(high_pairs, 8, 2, 3, 10, 11, 6, 7, 14, 15)
CLANES_SHUFFLE(even_words, 8, 0, 2, 8, 10, 4, 6, 12, 14)
CLANES_SHUFFLE(odd_words, 8, 1, 3, 9, 11, 5, 7, 13, 15)
CLANES_SHUFFLE(low_halves, 8, 0, 1, 2, 3, 8, 9, 10, 11)
CLANES_SHUFFLE(high_halves, 8, 4, 5, 6, 7, 12, 13, 14, 15)
CLANES_SHUFFLE(low_pairs, 16, 0, 1, 16, 17, 4, 5, 20, 21, 8, 9, 24, 25, 12, 13, 28, 29)
CLANES_SHUFFLE(high_pairs, 16, 2, 3, 18, 19, 6, 7, 22, 23, 10, 11, 26, 27, 14, 15, 30, 31)
CLANES_SHUFFLE(even_words, 16, 0, 2, 16, 18, 4, 6, 20, 22, 8, 10, 24, 26, 12, 14, 28, 30)
CLANES_SHUFFLE(odd_words, 16, 1, 3, 17, 19, 5, 7, 21, 23, 9, 11, 25, 27, 13, 15, 29, 31)
CLANES_SHUFFLE(low_halves, 16, 0, 1, 2, 3, 4, 5, 6, 7, 16, 17, 18, 19, 20, 21, 22, 23)
CLANES_SHUFFLE(high_halves, 16, 8, 9, 10, 11, 12, 13, 14, 15, 24, 25, 26, 27, 28, 29, 30, 31)
CLANES_SHUFFLE(even_groups, 16, 0, 1, 2, 3, 8, 9, 10, 11, 16, 17, 18, 19, 24, 25, 26, 27)
CLANES_SHUFFLE(odd_groups, 16, 4, 5, 6, 7, 12, 13, 14, 15, 20, 21, 22, 23, 28, 29, 30, 31)

#undef CLANES_SHUFFLE
#undef CLANES_FUNCTIONS
#undef CLANES_SMALLER
#undef CLANES_LARGER
#undef CLANES_EXACT
#undef CLANES_FUNCTION
