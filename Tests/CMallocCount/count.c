// Stands before the C library's own functions in test programs, to count the calls.
#include "CMallocCount.h"

#include <errno.h>
#include <stdatomic.h>
#include <stddef.h>

extern void *__libc_malloc(size_t);
extern void *__libc_calloc(size_t, size_t);
extern void *__libc_realloc(void *, size_t);
extern void *__libc_memalign(size_t, size_t);

static atomic_long calls;

static void count(void) { atomic_fetch_add_explicit(&calls, 1, memory_order_relaxed); }

long mallocCount(void) { return atomic_load(&calls); }

void *malloc(size_t size) {
  count();
  return __libc_malloc(size);
}

void *calloc(size_t number, size_t size) {
  count();
  return __libc_calloc(number, size);
}

void *realloc(void *memory, size_t size) {
  count();
  return __libc_realloc(memory, size);
}

int posix_memalign(void **memory, size_t alignment, size_t size) {
  count();
  *memory = __libc_memalign(alignment, size);
  return *memory ? 0 : ENOMEM;
}

void *aligned_alloc(size_t alignment, size_t size) {
  count();
  return __libc_memalign(alignment, size);
}
