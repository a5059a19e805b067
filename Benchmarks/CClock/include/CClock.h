#pragma once
#include <stdint.h>

// In C because a compiler that sees the chains computes their results at once. Each operation waits for the one before,
// so that a chain takes the latency of its instruction times its length, however many of them could run side by side.

/// Adds `step` to 0 `count` times, from a register: one cycle each on every processor.
///
/// An immediate operand would not do: processors since Golden Cove combine such additions before they are executed.
uint64_t cclock_add(uint64_t count, uint64_t step);

/// Multiplies 1 by `factor` `count` times, 32 bits wide: three cycles each on x86-64, as many as it takes elsewhere.
uint32_t cclock_multiply(uint64_t count, uint32_t factor);

/// Opens the processor's counter of cycles for this thread, user mode only; -1 where it is not there or not allowed.
int cclock_open_counter(void);

/// What the counter has counted so far.
uint64_t cclock_read_counter(int counter);

void cclock_close_counter(int counter);
