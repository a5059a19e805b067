#pragma once
#include <stdbool.h>
#include <stdint.h>
#include <time.h>

/// A lock in one word that a forked child can use: 0 unlocked, 1 locked, 2 locked while threads may wait.
///
/// It contains no identity of a thread. In C because the kernel needs the address of the word, and `syscall` is variadic.
typedef struct {
  uint32_t state;
} CThreadsLock;

void cthreads_lock_slowly(CThreadsLock *lock);
void cthreads_unlock_slowly(CThreadsLock *lock);

static inline void cthreads_lock(CThreadsLock *lock) {
  uint32_t unlocked = 0;
  if (!__atomic_compare_exchange_n(&lock->state, &unlocked, 1, false, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
    cthreads_lock_slowly(lock);
}

static inline void cthreads_unlock(CThreadsLock *lock) {
  uint32_t locked = 1;
  if (!__atomic_compare_exchange_n(&lock->state, &locked, 0, false, __ATOMIC_RELEASE, __ATOMIC_RELAXED))
    cthreads_unlock_slowly(lock);
}

/// Waits while the word has the value, at most until the time of the monotonic clock; a wait may end early.
void cthreads_wait(uint32_t *word, uint32_t value, const struct timespec *deadline);

/// Wakes all threads that wait for the word, whose value the caller has changed before.
void cthreads_wake_all(uint32_t *word);

/// A new lock of the process, which is never freed: a thread that forks holds it meanwhile, so it is unlocked in the child.
///
/// NULL if there is no memory. In C because `pthread_atfork` takes the address of this shared object.
CThreadsLock *cthreads_make_process_lock(void);

/// The number of forks between the process that loaded this shared object and the calling process.
unsigned cthreads_fork_count(void);
