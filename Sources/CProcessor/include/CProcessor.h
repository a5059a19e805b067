#pragma once
#include <stdbool.h>

/// Whether the processor and the operating system support x86-64-v3, which includes AVX2 and FMA.
///
/// In C because the argument of the compiler's built-in function must be a literal.
bool cprocessor_is_x86_64_v3(void);

/// Whether the environment variable SWIFTVIDEO_PROCESSOR is `baseline`, which disables the faster builds.
bool cprocessor_is_held_to_baseline(void);

/// The number of processors that this process may run on; 0 if it is unknown.
///
/// In C because `sched_getaffinity` and `CPU_COUNT` require _GNU_SOURCE.
int cprocessor_count(void);

/// Names the calling thread; a name has at most 15 bytes.
///
/// In C because `pthread_setname_np` requires _GNU_SOURCE.
void cprocessor_set_thread_name(const char *name);

/// Tells the processor that the calling thread waits in a loop.
static inline void cprocessor_pause(void) {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#endif
}
