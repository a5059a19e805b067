#include "device.h"

#include <math.h>
#include <string.h>

static gint64 now(const Device *device) {
  struct timespec time;
  clock_gettime(device->clock, &time);
  return (gint64)time.tv_sec * GST_SECOND + time.tv_nsec;
}

static double frames_per_nanosecond(const Device *device) {
  return device->rate * (1.0 + device->ppb * 1e-9) / GST_SECOND;
}

static gint64 time_of_frame(const Device *device, gint64 frame) {
  return device->base_time + llround((frame - device->base_frame) / frames_per_nanosecond(device));
}

/// Number of frames that have been played to their end.
static gint64 played(const Device *device, gint64 time) {
  if (!device->is_running) return device->recorded;
  double since = (time - device->base_time) * frames_per_nanosecond(device);
  return CLAMP(device->base_frame + (gint64)floor(since), device->recorded, device->written);
}

/// Records the frames that have been played since the last call, and stops a device that has run out of frames.
static void update(Device *device) {
  if (!device->is_running) return;
  gint64 time = now(device), end = played(device, time);
  for (; device->recorded < end; device->recorded++) {
    const guint8 *frame = device->frames + (device->recorded % device->capacity) * device->frame_bytes;
    recorder_frame(&device->recorder, time_of_frame(device, device->recorded), frame);
  }
  if (end == device->written) {
    device->is_running = FALSE;
    recorder_event(&device->recorder, RECORDER_UNDERRUN, time, 1);
  }
}

static void start(Device *device) {
  device->base_time = now(device) + device->start_delay;
  device->base_frame = device->recorded;
  device->is_running = TRUE;
}

/// Copies frames to their places in the circular buffer.
static void store(Device *device, const guint8 *frames, gint64 count) {
  gint64 at = device->written % device->capacity, first = MIN(count, device->capacity - at);
  memcpy(device->frames + at * device->frame_bytes, frames, first * device->frame_bytes);
  memcpy(device->frames, frames + first * device->frame_bytes, (count - first) * device->frame_bytes);
  device->written += count;
}

void device_init(Device *device) {
  g_mutex_init(&device->lock);
  g_cond_init(&device->wake);
  device->clock = CLOCK_MONOTONIC;
  device->report_step = 1;
  recorder_init(&device->recorder);
}

void device_clear(Device *device) {
  recorder_clear(&device->recorder);
  g_cond_clear(&device->wake);
  g_mutex_clear(&device->lock);
}

void device_open(Device *device, GstAudioFormat format, int rate, int frame_bytes, gint64 capacity) {
  g_mutex_lock(&device->lock);
  device->format = format;
  device->rate = rate;
  device->frame_bytes = frame_bytes;
  device->capacity = capacity;
  device->frames = g_malloc0(capacity * frame_bytes);
  device->written = device->recorded = 0;
  device->is_running = FALSE;
  recorder_open(&device->recorder, format, rate, now(device));
  g_mutex_unlock(&device->lock);
}

void device_close(Device *device) {
  g_mutex_lock(&device->lock);
  update(device);
  device->is_running = FALSE;
  g_clear_pointer(&device->frames, g_free);
  recorder_flush(&device->recorder);
  g_mutex_unlock(&device->lock);
}

void device_write(Device *device, const guint8 *frames, gint64 count) {
  g_mutex_lock(&device->lock);
  guint generation = device->generation;
  for (;;) {
    update(device);
    if (generation != device->generation) break;
    if (device->written + count - device->recorded <= device->capacity) {
      store(device, frames, count);
      if (!device->is_running && device->written - device->recorded == device->capacity) start(device);
      break;
    }
    // A device with too little room is full, or has been started by the write before.
    if (!device->is_running) start(device);
    gint64 room = time_of_frame(device, device->written + count - device->capacity);
    g_cond_wait_until(&device->wake, &device->lock, g_get_monotonic_time() + MAX(room - now(device), 0) / 1000 + 1);
  }
  g_mutex_unlock(&device->lock);
}

guint device_delay(Device *device) {
  g_mutex_lock(&device->lock);
  gint64 position = played(device, now(device));
  gint64 delay = device->written - position / device->report_step * device->report_step;
  g_mutex_unlock(&device->lock);
  return (guint)MAX(delay, 0);
}

void device_reset(Device *device) {
  g_mutex_lock(&device->lock);
  update(device);
  gint64 discarded = device->written - device->recorded;
  if (discarded) recorder_event(&device->recorder, RECORDER_DISCARDED, now(device), discarded);
  device->recorded = device->written;
  device->is_running = FALSE;
  device->generation++;
  g_cond_broadcast(&device->wake);
  recorder_flush(&device->recorder);
  g_mutex_unlock(&device->lock);
}

void device_set_ppb(Device *device, gint64 ppb) {
  g_mutex_lock(&device->lock);
  update(device);
  if (device->is_running) {
    device->base_time = time_of_frame(device, device->recorded);
    device->base_frame = device->recorded;
  }
  device->ppb = ppb;
  g_cond_broadcast(&device->wake);
  g_mutex_unlock(&device->lock);
}

void device_set_clock_offset(Device *device, gint64 offset) {
  g_mutex_lock(&device->lock);
  if (device->frames) update(device);
  device->recorder.clock_offset = offset;
  g_mutex_unlock(&device->lock);
}

GstStructure *device_stats(Device *device) {
  g_mutex_lock(&device->lock);
  if (device->frames) update(device);
  GstStructure *stats = recorder_stats(&device->recorder);
  g_mutex_unlock(&device->lock);
  return stats;
}
