#include "CVirtualDAC.h"

static uint8_t *write_sample(uint8_t *at, int16_t value, uint8_t mark, int bytes_per_sample) {
  if (bytes_per_sample == 3) *at++ = mark;
  *at++ = (uint8_t)((uint16_t)value & 0xff);
  *at++ = (uint8_t)((uint16_t)value >> 8);
  return at;
}

void cvirtualdac_write_ramp(uint8_t *bytes, uint64_t first_index, uint32_t frames, int bytes_per_sample) {
  for (uint32_t frame = 0; frame < frames; frame++) {
    uint32_t index = (uint32_t)((first_index + frame) % CVIRTUALDAC_RAMP_PERIOD);
    bytes = write_sample(bytes, cvirtualdac_ramp_left(index), CVIRTUALDAC_MARK_LEFT, bytes_per_sample);
    bytes = write_sample(bytes, cvirtualdac_ramp_right(index), CVIRTUALDAC_MARK_RIGHT, bytes_per_sample);
  }
}
