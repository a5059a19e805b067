#define _GNU_SOURCE
#include "CProcessor.h"
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

bool cprocessor_is_x86_64_v3(void) {
#if defined(__x86_64__)
  __builtin_cpu_init();
  return __builtin_cpu_supports("x86-64-v3");
#else
  return false;
#endif
}

bool cprocessor_is_held_to_baseline(void) {
  const char *choice = getenv("SWIFTVIDEO_PROCESSOR");
  return choice != NULL && strcmp(choice, "baseline") == 0;
}

int cprocessor_count(void) {
  cpu_set_t set;
  CPU_ZERO(&set);
  return sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 0;
}

void cprocessor_set_thread_name(const char *name) {
  pthread_setname_np(pthread_self(), name);
}
