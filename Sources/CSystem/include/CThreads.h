#pragma once
#include <stdbool.h>
#include <stdint.h>
#include <time.h>

/// A lock that a forked child can use: a word that is 0 if unlocked, 1 if locked, and 2 if threads may also wait.
///
/// A lock has no thread id. It is in C because the kernel needs the address of the word, and `syscall` is variadic.
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

/// Waits while `word` has `value`, at most until the monotonic clock reaches `deadline`; a wait may end early.
void cthreads_wait(uint32_t *word, uint32_t value, const struct timespec *deadline);

/// Wakes all threads that wait for `word`; the caller must have changed its value before.
void cthreads_wake_all(uint32_t *word);

/// A new lock, never freed. A thread that forks holds the lock during the fork, so the lock is unlocked in the child.
///
/// NULL if there is no memory. The function is in C because `pthread_atfork` takes the address of this shared object.
CThreadsLock *cthreads_make_process_lock(void);

/// The number of forks between the process that loaded this shared object and the calling process.
unsigned cthreads_fork_count(void);
