// Preloaded into the measured process: counts requests for memory, and times the acquires from buffer pools.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <time.h>

extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t count, size_t size);
extern void *__libc_realloc(void *memory, size_t size);
extern void *__libc_memalign(size_t alignment, size_t size);

#define MOST_ACQUIRES 65536

static atomic_ulong requests;
static atomic_ulong acquires;
static uint64_t acquire_times[MOST_ACQUIRES];
// A slice that GLib takes from malloc counts once.
static _Thread_local int in_slice;

static void count(void) {
  if (!in_slice) atomic_fetch_add_explicit(&requests, 1, memory_order_relaxed);
}

unsigned long ab_requests(void) { return atomic_load(&requests); }

/// Copies the first `most` times in ns, and returns their number.
unsigned long ab_acquire_times(uint64_t *times, unsigned long most) {
  unsigned long found = atomic_load(&acquires);
  if (found > MOST_ACQUIRES) found = MOST_ACQUIRES;
  if (found > most) found = most;
  for (unsigned long i = 0; i < found; i++) times[i] = acquire_times[i];
  return found;
}

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

void *memalign(size_t alignment, size_t size) {
  count();
  return __libc_memalign(alignment, size);
}

void *aligned_alloc(size_t alignment, size_t size) { return memalign(alignment, size); }

int posix_memalign(void **memory, size_t alignment, size_t size) {
  void *got = memalign(alignment, size);
  if (!got) return ENOMEM;
  *memory = got;
  return 0;
}

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
    count();                                                   \
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
  if (index < MOST_ACQUIRES) acquire_times[index] = now() - before;
  return result;
}
