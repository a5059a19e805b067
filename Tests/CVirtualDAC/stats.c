#include "recorder.h"

/// The size that `share` of the errors do not exceed, in nanoseconds.
static gint64 percentile(const ErrorDistribution *errors, double share) {
  guint64 seen = 0;
  for (gint64 bin = 0; bin < RECORDER_BINS; bin++) {
    seen += errors->bins[bin];
    if (errors->count && seen >= errors->count * share) return (bin + 1) * 1000;
  }
  return 0;
}

static void set_distribution(GstStructure *stats, const gchar *prefix, const ErrorDistribution *errors) {
  const gchar *names[] = {"count", "p50", "p99", "min", "max"};
  gint64 values[] = {(gint64)errors->count, percentile(errors, 0.5), percentile(errors, 0.99), errors->min, errors->max};
  for (guint field = 0; field < G_N_ELEMENTS(names); field++) {
    gchar *name = g_strconcat(prefix, names[field], NULL);
    gst_structure_set(stats, name, G_TYPE_INT64, values[field], NULL);
    g_free(name);
  }
}

GstStructure *recorder_stats(const Recorder *recorder) {
  const guint64 *counts = recorder->counts;
  GstStructure *stats = gst_structure_new(
      "virtualdac", "frames", G_TYPE_UINT64, recorder->frames, "rate", G_TYPE_INT, recorder->rate, "silent",
      G_TYPE_UINT64, counts[RECORDER_SILENT], "repeated", G_TYPE_UINT64, counts[RECORDER_REPEATED], "lost",
      G_TYPE_UINT64, counts[RECORDER_LOST], "splices", G_TYPE_UINT64, recorder->splices, "altered", G_TYPE_UINT64,
      recorder->altered, "unknown", G_TYPE_UINT64, counts[RECORDER_UNKNOWN] + recorder->unknown_run, "underruns",
      G_TYPE_UINT64, counts[RECORDER_UNDERRUN], "discarded", G_TYPE_UINT64, counts[RECORDER_DISCARDED], "first-time",
      G_TYPE_INT64, recorder->first_time < 0 ? -1 : recorder->first_time + recorder->clock_offset, "first-error",
      G_TYPE_INT64, recorder->first_error, "last-error", G_TYPE_INT64, recorder->last_error, NULL);
  set_distribution(stats, "error-", &recorder->all);
  set_distribution(stats, "settled-", &recorder->settled);
  return stats;
}

static gboolean write_field(GQuark name, const GValue *value, gpointer log) {
  gchar *text = gst_value_serialize(value);
  fprintf(log, "# %s=%s\n", g_quark_to_string(name), text);
  g_free(text);
  return TRUE;
}

void recorder_write_stats(Recorder *recorder) {
  if (!recorder->log) return;
  GstStructure *stats = recorder_stats(recorder);
  gst_structure_foreach(stats, write_field, recorder->log);
  gst_structure_free(stats);
  recorder_flush(recorder);
}
