#include "CProcessor.h"
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
