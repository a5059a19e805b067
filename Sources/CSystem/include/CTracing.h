#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Parts of the tracing that Swift cannot express: a flag that each mark reads with one instruction, a pointer for each
// thread, and calls that require _GNU_SOURCE.

/// The flag is 0 while no mark is recorded. Bit 0: record marks. Bit 1: call the hook. From bit 8: session number.
///
/// The symbol is hidden, because each plugin file has its own recorder. A hidden flag is read without the GOT.
extern uint64_t ctracing_state __attribute__((visibility("hidden")));

/// Reads the flag with one relaxed load.
static inline uint64_t ctracing_load_state(void) { return __atomic_load_n(&ctracing_state, __ATOMIC_RELAXED); }

/// Sets the flag.
static inline void ctracing_store_state(uint64_t state) { __atomic_store_n(&ctracing_state, state, __ATOMIC_RELEASE); }

/// A second receiver of spans: GStreamer's own span API, if the process has it. See `SpanHook`.
struct ctracing_hook {
  uint64_t (*begin)(const char *name, uint64_t running_time);
  void (*end)(uint64_t span);
  void (*event)(const char *name, uint64_t running_time, uint32_t note, uint64_t value);
};

/// The hook; NULL if there is none.
const struct ctracing_hook *ctracing_get_hook(void);

/// Sets the hook, which is never freed.
void ctracing_set_hook(const struct ctracing_hook *hook);

/// Creates the thread-specific key; call this once per process. `ended` is called on each thread that ends, with the
/// pointer of that thread.
bool ctracing_open(void (*ended)(void *));

/// The pointer of the calling thread; NULL before the first `ctracing_set_thread`.
void *ctracing_get_thread(void);

/// Sets the pointer of the calling thread; false if the C library has no memory for it.
bool ctracing_set_thread(void *pointer);

/// The process id.
int32_t ctracing_process_id(void);

/// Copies the name of the calling thread; it has at most 15 bytes and a final zero.
void ctracing_thread_name(char name[16]);

/// Copies the name that a thread of the process has now; false if the thread has ended.
bool ctracing_name_of(int32_t thread, char name[16]);

/// CLOCK_MONOTONIC in nanoseconds, the clock of `gst_util_get_timestamp`.
uint64_t ctracing_monotonic(void);

/// CLOCK_BOOTTIME in nanoseconds.
uint64_t ctracing_boottime(void);

/// CLOCK_REALTIME in nanoseconds.
uint64_t ctracing_realtime(void);

/// Maps memory whose pages the kernel allocates at the first write; NULL if there is no address space.
void *ctracing_map(size_t bytes);

/// Makes the kernel allocate the pages now, so that the first write does not fault.
void ctracing_provide(void *memory, size_t bytes);

/// Gives the pages back to the kernel; the memory can still be used, and contains zeros.
void ctracing_discard(void *memory, size_t bytes);
