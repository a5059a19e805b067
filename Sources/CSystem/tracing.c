#define _GNU_SOURCE
#include "CTracing.h"
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23
#endif

uint64_t ctracing_state;

static const struct ctracing_hook *hook;
static pthread_key_t key;

const struct ctracing_hook *ctracing_get_hook(void) { return __atomic_load_n(&hook, __ATOMIC_ACQUIRE); }

void ctracing_set_hook(const struct ctracing_hook *value) { __atomic_store_n(&hook, value, __ATOMIC_RELEASE); }

bool ctracing_open(void (*ended)(void *)) { return pthread_key_create(&key, ended) == 0; }

void *ctracing_get_thread(void) {
  // The caller has read the flag with a relaxed load. The fence orders this load before the read of the key.
  __atomic_thread_fence(__ATOMIC_ACQUIRE);
  return pthread_getspecific(key);
}

bool ctracing_set_thread(void *pointer) { return pthread_setspecific(key, pointer) == 0; }

int32_t ctracing_process_id(void) { return getpid(); }

void ctracing_thread_name(char name[16]) {
  memset(name, 0, 16);
  prctl(PR_GET_NAME, name);
}

bool ctracing_name_of(int32_t thread, char name[16]) {
  char path[48];
  snprintf(path, sizeof path, "/proc/self/task/%d/comm", (int)thread);
  int file = open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0) return false;
  memset(name, 0, 16);
  ssize_t length = read(file, name, 16);
  close(file);
  if (length <= 0) return false;
  name[length - 1] = 0;  // replaces the line feed
  return true;
}

static uint64_t nanoseconds(clockid_t clock) {
  struct timespec now;
  clock_gettime(clock, &now);
  return ((uint64_t)now.tv_sec * 1000000000) + (uint64_t)now.tv_nsec;
}

uint64_t ctracing_monotonic(void) { return nanoseconds(CLOCK_MONOTONIC); }
uint64_t ctracing_boottime(void) { return nanoseconds(CLOCK_BOOTTIME); }
uint64_t ctracing_realtime(void) { return nanoseconds(CLOCK_REALTIME); }

void *ctracing_map(size_t bytes) {
  void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  return memory == MAP_FAILED ? NULL : memory;
}

void ctracing_provide(void *memory, size_t bytes) { madvise(memory, bytes, MADV_POPULATE_WRITE); }

void ctracing_discard(void *memory, size_t bytes) { madvise(memory, bytes, MADV_DONTNEED); }
