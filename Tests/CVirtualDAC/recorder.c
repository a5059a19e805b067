#include "recorder.h"

#include <math.h>
#include <string.h>

#include "CVirtualDAC.h"

// A click is due at each multiple of this server time, and is looked for within half of the window.
#define CLICK_INTERVAL (GST_SECOND / 2)
#define CLICK_WINDOW (GST_SECOND / 10)
// Frames that claim a time further away than this are no frames of the ramp, but of a fade, for example.
#define PLAUSIBLE_SECONDS 60
// Energy of the quietest click that counts: one frame at a tenth of full scale.
#define CLICK_ENERGY 0.01

static const gchar *const event_names[RECORDER_EVENTS] = {"sample",  "silent",   "repeated",  "lost",
                                                          "unknown", "underrun", "discarded", "format"};

void recorder_init(Recorder *recorder) {
  recorder->previous = recorder->click = recorder->first_time = -1;
  recorder->all.bins = g_new0(guint64, RECORDER_BINS);
  recorder->settled.bins = g_new0(guint64, RECORDER_BINS);
  recorder->settle_time = 3 * GST_SECOND;
  recorder->log_interval = 10 * GST_MSECOND;
}

void recorder_clear(Recorder *recorder) {
  recorder_set_log(recorder, NULL);
  g_free(recorder->all.bins);
  g_free(recorder->settled.bins);
}

gboolean recorder_set_log(Recorder *recorder, const gchar *path) {
  if (recorder->log) fclose(recorder->log);
  recorder->log = path ? fopen(path, "w") : NULL;
  if (recorder->log) fputs("server_time_ns,index,error_ns,event,count\n", recorder->log);
  return !path || recorder->log;
}

void recorder_flush(Recorder *recorder) {
  if (recorder->log) fflush(recorder->log);
}

static void log_line(Recorder *recorder, RecorderEvent event, gint64 time, gint64 count) {
  if (!recorder->log) return;
  fprintf(recorder->log, "%" G_GINT64_FORMAT ",%" G_GINT64_FORMAT ",%" G_GINT64_FORMAT ",%s,%" G_GINT64_FORMAT "\n",
          time + recorder->clock_offset, recorder->previous, recorder->last_error, event_names[event], count);
  // Other programs read the log while it is written.
  if (time < recorder->next_flush) return;
  recorder->next_flush = time + GST_SECOND;
  recorder_flush(recorder);
}

void recorder_event(Recorder *recorder, RecorderEvent event, gint64 time, gint64 count) {
  recorder->counts[event] += count;
  log_line(recorder, event, time, count);
}

void recorder_open(Recorder *recorder, GstAudioFormat format, int rate, gint64 time) {
  recorder->format = format;
  if (rate != recorder->rate) recorder->previous = -1;
  recorder->rate = rate;
  log_line(recorder, RECORDER_FORMAT, time, rate);
}

static void add_error(ErrorDistribution *errors, gint64 error) {
  errors->min = errors->count ? MIN(errors->min, error) : error;
  errors->max = errors->count ? MAX(errors->max, error) : error;
  errors->bins[MIN(ABS(error) / 1000, RECORDER_BINS - 1)]++;
  errors->count++;
}

static void record_error(Recorder *recorder, gint64 time, gint64 error) {
  if (recorder->first_time < 0) {
    recorder->first_time = time;
    recorder->first_error = error;
  }
  recorder->last_error = error;
  add_error(&recorder->all, error);
  if (time - recorder->first_time >= recorder->settle_time) add_error(&recorder->settled, error);
  if (time < recorder->next_log) return;
  recorder->next_log = time + recorder->log_interval;
  log_line(recorder, RECORDER_SAMPLE, time, 1);
}

/// The sample as 24 bits.
static gint32 sample(GstAudioFormat format, const guint8 *bytes) {
  gfloat value;
  switch (format) {
    case GST_AUDIO_FORMAT_S16LE:
      return (gint32)GST_READ_UINT16_LE(bytes) << 16 >> 8;
    case GST_AUDIO_FORMAT_S24LE:
      return (gint32)(GST_READ_UINT24_LE(bytes) << 8) >> 8;
    case GST_AUDIO_FORMAT_S24_32LE:
      return (gint32)(GST_READ_UINT32_LE(bytes) << 8) >> 8;
    case GST_AUDIO_FORMAT_S32LE:
      return (gint32)GST_READ_UINT32_LE(bytes) >> 8;
    default:
      value = GST_READ_FLOAT_LE(bytes);
      return (gint32)lrintf(CLAMP(value, -1.0f, 1.0f) * 8388607.0f);
  }
}

/// Ends the runs of silence and of unknown frames before a frame of the ramp.
static void end_runs(Recorder *recorder, gint64 time) {
  // Silence before the first frame of the ramp is not an event.
  if (recorder->silent_run && recorder->first_time >= 0) {
    recorder_event(recorder, RECORDER_SILENT, time, recorder->silent_run);
    recorder->splices++;
  }
  if (recorder->unknown_run) recorder_event(recorder, RECORDER_UNKNOWN, time, recorder->unknown_run);
  recorder->silent_run = recorder->unknown_run = 0;
}

static void compare_with_previous(Recorder *recorder, gint64 time, gint64 index) {
  gint64 period = CVIRTUALDAC_RAMP_PERIOD, previous = recorder->previous;
  recorder->previous = index;
  if (previous < 0) return;
  gint64 step = (index - previous + period) % period;
  if (step > period / 2) step -= period;
  if (step > 1) recorder_event(recorder, RECORDER_LOST, time, step - 1);
  if (step < 1) recorder_event(recorder, RECORDER_REPEATED, time, 1 - step);
  if (step < 0 || step > 2) recorder->splices++;
}

/// How late a frame is, in frames. The index tells its due time only up to whole periods.
static double lateness(const Recorder *recorder, gint64 time, gint64 index) {
  double server_frame = (double)(time + recorder->clock_offset) * recorder->rate / GST_SECOND;
  double periods = round((server_frame - index) / CVIRTUALDAC_RAMP_PERIOD);
  return server_frame - index - periods * CVIRTUALDAC_RAMP_PERIOD;
}

static void record_ramp(Recorder *recorder, gint64 time, gint32 left, gint32 right) {
  gint64 index = cvirtualdac_ramp_index(left, right);
  double late = lateness(recorder, time, index);
  if (left == 0 && right == 0) {
    recorder->silent_run++;
  } else if (index < 0 || fabs(late) > PLAUSIBLE_SECONDS * (double)recorder->rate) {
    recorder->unknown_run++;
  } else {
    end_runs(recorder, time);
    gboolean is_widened = (left & 255) == 0 && (right & 255) == 0;
    gboolean is_marked = (left & 255) == CVIRTUALDAC_MARK_LEFT && (right & 255) == CVIRTUALDAC_MARK_RIGHT;
    if (!is_widened && !is_marked) recorder->altered++;
    compare_with_previous(recorder, time, index);
    record_error(recorder, time, llround(late / recorder->rate * GST_SECOND));
  }
}

/// The time of a click is the centre of its energy, which a lossy codec does not move.
static void record_clicks(Recorder *recorder, gint64 time, gint32 left, gint32 right) {
  gint64 server_time = time + recorder->clock_offset;
  gint64 click = (server_time + CLICK_INTERVAL / 2) / CLICK_INTERVAL;
  gint64 late = server_time - click * CLICK_INTERVAL;
  if (recorder->click >= 0 && (click != recorder->click || late > (gint64)CLICK_WINDOW / 2)) {
    recorder->previous = recorder->click;
    if (recorder->click_energy > CLICK_ENERGY)
      record_error(recorder, time, llround(recorder->click_moment / recorder->click_energy));
    recorder->click = -1;
  }
  if (ABS(late) > (gint64)CLICK_WINDOW / 2) return;
  if (recorder->click < 0) recorder->click_energy = recorder->click_moment = 0;
  recorder->click = click;
  double value = (left + right) / 16777216.0;
  recorder->click_energy += value * value;
  recorder->click_moment += value * value * late;
  if (left == 0 && right == 0) recorder->silent_run++;
}

void recorder_frame(Recorder *recorder, gint64 time, const guint8 *frame) {
  recorder->frames++;
  gint32 left = sample(recorder->format, frame);
  gint32 right = sample(recorder->format, frame + gst_audio_format_get_info(recorder->format)->width / 8);
  if (recorder->signal == RECORDER_CLICKS)
    record_clicks(recorder, time, left, right);
  else
    record_ramp(recorder, time, left, right);
}
