// Takes the place of the C library's functions that request memory. Each calls `count_call`, which the file that includes
// this one defines before. Shared with Benchmarks/python/ab/native/counter.c.
#pragma once

#include <errno.h>
#include <malloc.h>
#include <stdlib.h>

extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t count, size_t size);
extern void *__libc_realloc(void *memory, size_t size);
extern void *__libc_memalign(size_t alignment, size_t size);

void *malloc(size_t size) {
  count_call();
  return __libc_malloc(size);
}

void *calloc(size_t count, size_t size) {
  count_call();
  return __libc_calloc(count, size);
}

void *realloc(void *memory, size_t size) {
  count_call();
  return __libc_realloc(memory, size);
}

void *memalign(size_t alignment, size_t size) {
  count_call();
  return __libc_memalign(alignment, size);
}

void *aligned_alloc(size_t alignment, size_t size) { return memalign(alignment, size); }

int posix_memalign(void **memory, size_t alignment, size_t size) {
  void *got = memalign(alignment, size);
  if (!got) return ENOMEM;
  *memory = got;
  return 0;
}
