#pragma once

#include <stdint.h>

// The ramp signal
//
// A server that plays the ramp makes every stereo frame carry its own playout time, so a recorder needs no side channel:
//
//     index = (server time of the frame in seconds * sample rate, rounded) modulo CVIRTUALDAC_RAMP_PERIOD
//
// The first chunk of a stream should have a timestamp that is a multiple of 10 ms: the index is then exact at all usual
// sample rates. After a seek or a change of tracks the rule is the same: a frame carries the time at which it is due.
//
// In 16 bits, with low = index % 32768 and high = index / 32768:
//
//     left  = high even ? low : 32767 - low          (a triangle, 0 ... 32767)
//     right = high + 1                               (1 ... 32767)
//
// Neither channel ever changes by more than 1 from frame to frame, except at the end of the period (about 6 hours at
// 48 kHz). A frame that is interpolated between neighbours therefore decodes as one of them. (0, 0) is no index: it is
// silence. After a corner, the interpolation undershoots by up to a tenth of a step, so a quarter of a step is added
// before a sample is decoded.
//
// In 24 bits, each value is (value16 << 8) | mark, with the mark 0x5a on the left and 0x25 on the right. A stream that
// was 16 bits wide and was widened has the marks 0 and 0. Any other low byte was altered on the way: by dither, by
// truncation, by interpolation or by a volume.

/// Number of different indices of the ramp.
#define CVIRTUALDAC_RAMP_PERIOD (32767u * 32768u)
/// Lowest 8 bits of a left 24-bit sample of the ramp.
#define CVIRTUALDAC_MARK_LEFT 0x5a
/// Lowest 8 bits of a right 24-bit sample of the ramp.
#define CVIRTUALDAC_MARK_RIGHT 0x25

/// Left 16-bit sample of the ramp at `index`, which is below the period.
static inline int16_t cvirtualdac_ramp_left(uint32_t index) {
  uint32_t low = index & 32767;
  return (int16_t)((index >> 15) & 1 ? 32767 - low : low);
}

/// Right 16-bit sample of the ramp at `index`, which is below the period.
static inline int16_t cvirtualdac_ramp_right(uint32_t index) { return (int16_t)((index >> 15) + 1); }

/// The index that two samples carry, or -1 if they are no frame of the ramp. The samples are 24 bits wide.
static inline int64_t cvirtualdac_ramp_index(int32_t left, int32_t right) {
  int32_t low = (left + 64) >> 8, high = ((right + 64) >> 8) - 1;
  if (low < 0 || low > 32767 || high < 0 || high > 32766) return -1;
  return ((int64_t)high << 15) | (high & 1 ? 32767 - low : low);
}

/// Writes `frames` stereo frames of the ramp, little endian, with 2 or 3 bytes per sample.
void cvirtualdac_write_ramp(uint8_t *bytes, uint64_t first_index, uint32_t frames, int bytes_per_sample);

/// Registers `virtualdac`, an audio sink whose device runs at a rate of its own, and `rampsrc`, a live source of the
/// ramp with a clock. Returns 0 if that fails.
///
/// The properties, the statistics and the file of the sink are described in virtualdac.c, the source in rampsrc.c.
int cvirtualdac_register(void);
