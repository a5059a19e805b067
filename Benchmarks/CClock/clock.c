#include "CClock.h"

uint64_t cclock_add(uint64_t count) {
  uint64_t sum = 0;
  for (uint64_t i = 0; i < count; i += 16) {
#if defined(__x86_64__)
    __asm__ volatile(
        "add $1, %0\n\tadd $1, %0\n\tadd $1, %0\n\tadd $1, %0\n\tadd $1, %0\n\tadd $1, %0\n\tadd $1, %0\n\tadd $1, %0\n\t"
        "add $1, %0\n\tadd $1, %0\n\tadd $1, %0\n\tadd $1, %0\n\tadd $1, %0\n\tadd $1, %0\n\tadd $1, %0\n\tadd $1, %0"
        : "+r"(sum));
#else
    for (int j = 0; j < 16; j++) __asm__ volatile("add %0, %0, #1" : "+r"(sum));
#endif
  }
  return sum;
}
