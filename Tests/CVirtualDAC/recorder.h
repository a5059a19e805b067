#pragma once

#include <gst/audio/audio.h>
#include <stdio.h>

/// Bins of 1 us for the size of the playout error. The last bin counts everything above.
#define RECORDER_BINS 100001

/// The signal that the recorder looks for.
typedef enum { RECORDER_RAMP, RECORDER_CLICKS } RecorderSignal;

typedef enum {
  RECORDER_SAMPLE,     // the playout error, once per log interval
  RECORDER_SILENT,     // a run of silent frames between frames of the ramp
  RECORDER_REPEATED,   // frames that were played again
  RECORDER_LOST,       // frames that were left out
  RECORDER_UNKNOWN,    // a run of frames that are neither silent nor of the ramp
  RECORDER_UNDERRUN,   // the device had no frames and stopped
  RECORDER_DISCARDED,  // frames that were written and never played
  RECORDER_FORMAT,     // the device was opened; the count is the sample rate
  RECORDER_EVENTS,
} RecorderEvent;

/// Distribution of the playout error: its size in microseconds, and its extremes in nanoseconds.
typedef struct {
  guint64 count;
  guint64 *bins;
  gint64 min, max;
} ErrorDistribution;

/// Compares what is played, and when, with the ramp or the clicks of the server.
typedef struct {
  RecorderSignal signal;
  gint64 clock_offset;  // server time minus time of the device's clock, in nanoseconds
  gint64 settle_time;   // errors after this time count as settled, in nanoseconds
  gint64 log_interval;  // in nanoseconds
  FILE *log;
  GstAudioFormat format;
  int rate;
  gint64 previous;  // index of the last frame of the ramp, or -1
  gint64 first_time, first_error, last_error, next_log, next_flush;
  gint64 silent_run, unknown_run;
  guint64 frames, altered, splices, counts[RECORDER_EVENTS];
  gint64 click, click_count;  // the click whose window is open, or -1
  double click_energy, click_moment;
  ErrorDistribution all, settled;
} Recorder;

void recorder_init(Recorder *recorder);
void recorder_clear(Recorder *recorder);

/// Opens the log, or closes it if `path` is null. Returns false if the file cannot be written.
gboolean recorder_set_log(Recorder *recorder, const gchar *path);
/// Tells the format of the frames that follow.
void recorder_open(Recorder *recorder, GstAudioFormat format, int rate, gint64 time);
/// Records a stereo frame whose playout begins at `time` of the device's clock.
void recorder_frame(Recorder *recorder, gint64 time, const guint8 *frame);
void recorder_event(Recorder *recorder, RecorderEvent event, gint64 time, gint64 count);
/// Writes pending lines of the log to the file.
void recorder_flush(Recorder *recorder);
/// The statistics as a structure, whose fields are described in virtualdac.c.
GstStructure *recorder_stats(const Recorder *recorder);
/// Writes the statistics as comments at the end of the log.
void recorder_write_stats(Recorder *recorder);
