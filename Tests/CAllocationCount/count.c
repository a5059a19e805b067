// Counts requests for memory of the executable that links this file, those of GLib and Swift included.
#define _GNU_SOURCE
#include "CAllocationCount.h"

#include <stdatomic.h>

static atomic_ulong calls;
static _Thread_local unsigned long thread_calls;

unsigned long allocation_count(void) { return atomic_load(&calls); }

unsigned long allocation_count_of_thread(void) { return thread_calls; }

// A sanitizer has such functions of its own, and the tests that count are disabled with it.
#if !__has_feature(address_sanitizer) && !__has_feature(thread_sanitizer)

/// Counts one request.
static void count_call(void) {
  atomic_fetch_add(&calls, 1);
  thread_calls++;
}

#include "requests.h"

#endif
