#pragma once

#include <gst/gst.h>
#include <time.h>

#include "recorder.h"

/// The simulated hardware: a buffer of `capacity` frames that is played at `rate` * (1 + ppm), measured with `clock`.
///
/// It behaves like an ALSA device in its default state: it starts when its buffer is full, a write blocks until there
/// is room, and it stops when it runs out of frames, until the buffer is full again.
typedef struct {
  GMutex lock;
  GCond wake;
  clockid_t clock;
  gint64 ppb;          // deviation of the rate, in parts per billion
  gint64 report_step;  // `device_delay` is a multiple of this, in frames; at least 1
  gint64 start_delay;  // between the start and the first sample, in nanoseconds
  int rate;
  GstAudioFormat format;
  int frame_bytes;
  guint8 *frames;
  gint64 capacity;
  gint64 written;   // frames since `device_open`
  gint64 recorded;  // frames that have been played and recorded
  gboolean is_running;
  gint64 base_time;   // the frame `base_frame` is played at this time of `clock`
  gint64 base_frame;  // valid while the device is running
  guint generation;   // changes when a blocked write must return
  Recorder recorder;
} Device;

void device_init(Device *device);
void device_clear(Device *device);

/// Takes a buffer for `capacity` frames. The device then waits for frames.
void device_open(Device *device, GstAudioFormat format, int rate, int frame_bytes, gint64 capacity);
void device_close(Device *device);

/// Writes whole frames, at most the capacity. Blocks until there is room, or until the device is reset.
void device_write(Device *device, const guint8 *frames, gint64 count);

/// Number of frames that are written and not yet played, as coarse as the report step.
guint device_delay(Device *device);

/// Stops the device and discards the frames that have not been played.
void device_reset(Device *device);

/// Changes the rate of the device from now on.
void device_set_ppb(Device *device, gint64 ppb);

/// Sets the offset of the server's clock, after recording what has been played with the previous one.
void device_set_clock_offset(Device *device, gint64 offset);

/// Statistics of everything played so far.
GstStructure *device_stats(Device *device);
