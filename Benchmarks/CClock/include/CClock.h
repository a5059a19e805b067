#pragma once
#include <stdint.h>

/// Adds 1 to a number `count` times, one addition after the other: each takes a cycle.
///
/// In C because a compiler that sees the additions does them all at once.
uint64_t cclock_add(uint64_t count);
