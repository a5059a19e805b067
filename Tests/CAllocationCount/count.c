// Takes the place of the C library's functions in the executable that links it, GLib's and Swift's calls included.
#define _GNU_SOURCE
#include "CAllocationCount.h"

#include <errno.h>
#include <malloc.h>
#include <stdatomic.h>
#include <stdlib.h>

extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t count, size_t size);
extern void *__libc_realloc(void *memory, size_t size);
extern void *__libc_memalign(size_t alignment, size_t size);

static atomic_ulong calls;
static _Thread_local unsigned long thread_calls;

/// Counts one request.
static void count_call(void) {
  atomic_fetch_add(&calls, 1);
  thread_calls++;
}

unsigned long allocation_count(void) { return atomic_load(&calls); }

unsigned long allocation_count_of_thread(void) { return thread_calls; }

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
