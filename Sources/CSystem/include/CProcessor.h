#pragma once
#include <stdbool.h>
#include <stdint.h>

/// Whether the processor and the operating system support x86-64-v3, which includes AVX2 and FMA.
///
/// The function is in C because the argument of the compiler's built-in function must be a literal.
bool cprocessor_is_x86_64_v3(void);

/// Whether the processor and the operating system support x86-64-v4, which includes AVX-512 F, BW, CD, DQ and VL.
bool cprocessor_is_x86_64_v4(void);

/// Whether AVX-512 is expected to be faster than AVX2: true for Ice Lake, Zen 4 and later, which have AVX-512 VBMI2.
///
/// Earlier processors are documented to lower their clock for AVX-512. Only an EPYC of the fifth generation was
/// measured.
bool cprocessor_has_fast_avx512(void);

/// The environment variable SWIFTVIDEO_PROCESSOR, which names a build of the signal code; NULL if it is not set.
///
/// The function is in C because the signal code imports no C library.
const char *cprocessor_requested_build(void);

/// The number of processors that this process may run on; 0 if it is unknown.
///
/// The function is in C because `sched_getaffinity` and `CPU_COUNT` require _GNU_SOURCE.
int cprocessor_count(void);

/// Names the calling thread; a name has at most 15 bytes.
///
/// The function is in C because `pthread_setname_np` requires _GNU_SOURCE.
void cprocessor_set_thread_name(const char *name);

/// The kernel's id of the calling thread. The function is in C because `gettid` requires _GNU_SOURCE.
int cprocessor_thread_id(void);

/// A set of processors in the layout that the kernel requires.
typedef struct {
  uint64_t words[16];
} CProcessorSet;

/// Adds a processor to a set; a number above 1023 is ignored.
void cprocessor_set_add(CProcessorSet *set, unsigned processor);

// Scheduling of the calling thread. The functions are in C because <sched.h> and `gettid` require _GNU_SOURCE.

bool cprocessor_get_affinity(CProcessorSet *set);
bool cprocessor_set_affinity(const CProcessorSet *set);

/// The scheduling policy; `priority` receives the real-time priority.
int cprocessor_get_policy(int *priority);
bool cprocessor_set_policy(int policy, int priority);

int cprocessor_get_niceness(void);
bool cprocessor_set_niceness(int niceness);
