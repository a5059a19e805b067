#include "CClock.h"

#include <linux/perf_event.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#define FOUR(line) line line line line
#define SIXTEEN(line) FOUR(line) FOUR(line) FOUR(line) FOUR(line)

uint64_t cclock_add(uint64_t count, uint64_t step) {
  uint64_t sum = 0;
  for (uint64_t i = 0; i < count; i += 16) {
#if defined(__x86_64__)
    __asm__ volatile(SIXTEEN("add %1, %0\n\t") : "+r"(sum) : "r"(step));
#else
    __asm__ volatile(SIXTEEN("add %0, %0, %1\n\t") : "+r"(sum) : "r"(step));
#endif
  }
  return sum;
}

uint32_t cclock_multiply(uint64_t count, uint32_t factor) {
  uint32_t product = 1;
  for (uint64_t i = 0; i < count; i += 16) {
#if defined(__x86_64__)
    __asm__ volatile(SIXTEEN("imul %1, %0\n\t") : "+r"(product) : "r"(factor));
#else
    __asm__ volatile(SIXTEEN("mul %w0, %w0, %w1\n\t") : "+r"(product) : "r"(factor));
#endif
  }
  return product;
}

int cclock_open_counter(void) {
  struct perf_event_attr attributes;
  memset(&attributes, 0, sizeof attributes);
  attributes.size = sizeof attributes;
  attributes.type = PERF_TYPE_HARDWARE;
  attributes.config = PERF_COUNT_HW_CPU_CYCLES;
  attributes.exclude_kernel = 1;
  attributes.exclude_hv = 1;
  return (int)syscall(SYS_perf_event_open, &attributes, 0, -1, -1, 0);
}

uint64_t cclock_read_counter(int counter) {
  uint64_t cycles = 0;
  return read(counter, &cycles, sizeof cycles) == sizeof cycles ? cycles : 0;
}

void cclock_close_counter(int counter) { close(counter); }
