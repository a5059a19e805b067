// Preloaded into the measured process: counts requests for memory, and times the acquires from buffer pools.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <time.h>

#define MOST_ACQUIRES 65536

static atomic_ulong requests;
static atomic_ulong acquires;
/// An acquire from a pool: the pool, when it began, and how long it took, in ns.
typedef struct {
  uint64_t pool, began, took;
} Acquire;
static Acquire acquired[MOST_ACQUIRES];
// A slice that GLib takes from malloc counts once.
static _Thread_local int in_slice;

/// Counts one request.
static void count_call(void) {
  if (!in_slice) atomic_fetch_add_explicit(&requests, 1, memory_order_relaxed);
}

unsigned long ab_requests(void) { return atomic_load(&requests); }

/// Copies the first `most` acquires, and returns their number.
unsigned long ab_acquires(Acquire *copies, unsigned long most) {
  unsigned long found = atomic_load(&acquires);
  if (found > MOST_ACQUIRES) found = MOST_ACQUIRES;
  if (found > most) found = most;
  for (unsigned long i = 0; i < found; i++) copies[i] = acquired[i];
  return found;
}

#include "../../../../Tests/CAllocationCount/requests.h"

/// A function of a library that the interpreter has loaded: RTLD_NEXT does not find those.
static void *find(const char *library, const char *name) {
  void *handle = dlopen(library, RTLD_LAZY | RTLD_NOLOAD);
  void *found = handle ? dlsym(handle, name) : NULL;
  if (!found) abort();
  return found;
}

// GLib 2.74 has an allocator of its own for small structures, such as those of a GstBuffer.
#define FORWARD_SLICE(name)                                    \
  void *name(size_t size) {                                    \
    static void *(*next)(size_t);                              \
    count_call();                                              \
    in_slice++;                                                \
    if (!next) next = (void *(*)(size_t))find("libglib-2.0.so.0", #name); \
    void *memory = next(size);                                 \
    in_slice--;                                                \
    return memory;                                             \
  }
FORWARD_SLICE(g_slice_alloc)
FORWARD_SLICE(g_slice_alloc0)

static uint64_t now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

int gst_buffer_pool_acquire_buffer(void *pool, void **buffer, void *parameters) {
  static int (*next)(void *, void **, void *);
  if (!next) next = (int (*)(void *, void **, void *))find("libgstreamer-1.0.so.0", "gst_buffer_pool_acquire_buffer");
  uint64_t before = now();
  int result = next(pool, buffer, parameters);
  unsigned long index = atomic_fetch_add_explicit(&acquires, 1, memory_order_relaxed);
  if (index < MOST_ACQUIRES) acquired[index] = (Acquire){(uint64_t)(uintptr_t)pool, before, now() - before};
  return result;
}
