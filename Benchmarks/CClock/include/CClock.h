#pragma once
#include <stdint.h>

// The chains are written in C with inline assembly, because a compiler that sees them computes their results. Each
// operation depends on the previous one, so a chain takes its length times the latency of the instruction.

/// Adds `step` to 0 `count` times, from a register.
///
/// Each addition takes one cycle on every processor.
///
/// An immediate operand is unsuitable: processors since Golden Cove combine such additions before execution.
uint64_t cclock_add(uint64_t count, uint64_t step);

/// Multiplies 1 by `factor` `count` times, in 32 bits.
///
/// Each multiplication takes three cycles on x86-64, and a processor-specific number elsewhere.
uint32_t cclock_multiply(uint64_t count, uint32_t factor);

/// Opens the cycle counter of the processor for this thread, in user mode.
///
/// Returns -1 if it is missing or not permitted.
int cclock_open_counter(void);

/// Returns the cycles counted so far, or 0 on an error.
uint64_t cclock_read_counter(int counter);

void cclock_close_counter(int counter);
