#define _GNU_SOURCE
#include "CThreads.h"
#include <limits.h>
#include <linux/futex.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

// Informs the processor that the calling thread waits in a loop.
static inline void pause_processor(void) {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  // `yield` does nothing on processors with one thread per core, so the pauses would take no time. `isb` waits until
  // the pipeline is empty, about as long as `pause` on x86-64.
  __asm__ volatile("isb");
#endif
}

void cthreads_lock_slowly(CThreadsLock *lock) {
  // Most locks are held for less than a microsecond, so the first attempts follow each other quickly. The pauses double
  // to reduce contention for the cache line. The 127 pauses take about 2 microseconds.
  for (int pauses = 1; pauses <= 64; pauses *= 2) {
    for (int count = 0; count < pauses; count++) pause_processor();
    uint32_t unlocked = 0;
    if (__atomic_load_n(&lock->state, __ATOMIC_RELAXED) == 0 &&
        __atomic_compare_exchange_n(&lock->state, &unlocked, 1, false, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
      return;
  }
  while (__atomic_exchange_n(&lock->state, 2, __ATOMIC_ACQUIRE) != 0)
    syscall(SYS_futex, &lock->state, FUTEX_WAIT_PRIVATE, 2, NULL, NULL, 0);
}

void cthreads_unlock_slowly(CThreadsLock *lock) {
  __atomic_store_n(&lock->state, 0, __ATOMIC_RELEASE);
  syscall(SYS_futex, &lock->state, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
}

void cthreads_wait(uint32_t *word, uint32_t value, const struct timespec *deadline) {
  // FUTEX_WAIT_BITSET takes a point in time, while FUTEX_WAIT takes a duration.
  syscall(SYS_futex, word, FUTEX_WAIT_BITSET_PRIVATE, value, deadline, NULL, FUTEX_BITSET_MATCH_ANY);
}

void cthreads_wake_all(uint32_t *word) {
  syscall(SYS_futex, word, FUTEX_WAKE_PRIVATE, INT_MAX, NULL, NULL, 0);
}

// MARK: Forks

typedef struct ProcessLock {
  CThreadsLock lock;
  struct ProcessLock *next;
} ProcessLock;

// Guards the list; during a fork, it is held together with all locks in the list.
static CThreadsLock list_lock;
static ProcessLock *list;
static unsigned forks;

static void before_fork(void) {
  cthreads_lock(&list_lock);
  for (ProcessLock *entry = list; entry; entry = entry->next) cthreads_lock(&entry->lock);
}

static void after_fork(void) {
  for (ProcessLock *entry = list; entry; entry = entry->next) cthreads_unlock(&entry->lock);
  cthreads_unlock(&list_lock);
}

// A variable of libswiftCore with the id of the thread. The id marks the owner of a lock while the thread initializes a
// static property. After fork(), the child has the id of the parent, and could not unlock once another thread waits.
// The linker joins both definitions. If the library has another name for the variable, this definition is unused.
__attribute__((weak, visibility("hidden"))) __thread int32_t thread_id __asm__(
    "_ZZN5swift14threading_impl5linux13ulock_get_tidEvE3tid");

static void after_fork_in_child(void) {
  forks++;
  thread_id = 0;
  after_fork();
}

__attribute__((constructor)) static void observe_forks(void) {
  pthread_atfork(before_fork, after_fork, after_fork_in_child);
}

CThreadsLock *cthreads_make_process_lock(void) {
  ProcessLock *entry = calloc(1, sizeof *entry);
  if (!entry) return NULL;
  cthreads_lock(&list_lock);
  entry->next = list;
  list = entry;
  cthreads_unlock(&list_lock);
  return &entry->lock;
}

unsigned cthreads_fork_count(void) { return forks; }
