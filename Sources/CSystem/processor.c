#define _GNU_SOURCE
#include "CProcessor.h"
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

bool cprocessor_is_x86_64_v3(void) {
#if defined(__x86_64__)
  __builtin_cpu_init();
  return __builtin_cpu_supports("x86-64-v3");
#else
  return false;
#endif
}

bool cprocessor_is_x86_64_v4(void) {
#if defined(__x86_64__)
  __builtin_cpu_init();
  return __builtin_cpu_supports("x86-64-v4");
#else
  return false;
#endif
}

// Skylake-SP, Cascade Lake and Cooper Lake have x86-64-v4 but not the instructions of Ice Lake and Zen 4. It was not
// measured which build is faster on these processors.
bool cprocessor_has_fast_avx512(void) {
#if defined(__x86_64__)
  __builtin_cpu_init();
  return __builtin_cpu_supports("avx512vbmi2");
#else
  return false;
#endif
}

const char *cprocessor_requested_build(void) { return getenv("SWIFTVIDEO_PROCESSOR"); }

int cprocessor_count(void) {
  cpu_set_t set;
  CPU_ZERO(&set);
  return sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 0;
}

void cprocessor_set_thread_name(const char *name) {
  pthread_setname_np(pthread_self(), name);
}

void cprocessor_set_add(CProcessorSet *set, unsigned processor) {
  if (processor < 8 * sizeof set->words) set->words[processor / 64] |= UINT64_C(1) << (processor % 64);
}

_Static_assert(sizeof(CProcessorSet) == sizeof(cpu_set_t), "both have 1024 bits");

bool cprocessor_get_affinity(CProcessorSet *set) {
  return sched_getaffinity(0, sizeof *set, (cpu_set_t *)set) == 0;
}

bool cprocessor_set_affinity(const CProcessorSet *set) {
  return sched_setaffinity(0, sizeof *set, (const cpu_set_t *)set) == 0;
}

int cprocessor_get_policy(int *priority) {
  struct sched_param parameters = {0};
  sched_getparam(0, &parameters);
  *priority = parameters.sched_priority;
  return sched_getscheduler(0);
}

bool cprocessor_set_policy(int policy, int priority) {
  struct sched_param parameters = {.sched_priority = priority};
  return sched_setscheduler(0, policy, &parameters) == 0;
}

int cprocessor_get_niceness(void) { return getpriority(PRIO_PROCESS, (id_t)gettid()); }

bool cprocessor_set_niceness(int niceness) { return setpriority(PRIO_PROCESS, (id_t)gettid(), niceness) == 0; }

int cprocessor_thread_id(void) { return gettid(); }
