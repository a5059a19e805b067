// Receives the spans and events of our elements as any tracer of GStreamer 1.30 does, and prints them by name.
//
//   cc -Wall Tests/hosts/spans.c -o /tmp/spans $(pkg-config --cflags --libs gstreamer-1.0)
//   GST_PLUGIN_PATH=out/plugin /tmp/spans
//
// Exits with 1 if a span does not end or ends before one inside it, with 77 if this GStreamer has no spans.
#include <gst/gst.h>
#include <gst/gsttracer.h>
#include <stdio.h>

#if !GST_CHECK_VERSION(1, 29, 2)
int main(void) {
  printf("skipped: GStreamer %d.%d has no spans\n", GST_VERSION_MAJOR, GST_VERSION_MINOR);
  return 77;
}
#else

typedef struct {
  GstTracer parent;
} Receiver;
typedef GstTracerClass ReceiverClass;
GType receiver_get_type(void);
G_DEFINE_TYPE(Receiver, receiver, GST_TYPE_TRACER)
static void receiver_class_init(ReceiverClass *class) { (void)class; }

typedef struct {
  guint count, ended, with_frame;
  GstClockTime longest;
  gint64 value;
  gchar *reason;
} Row;

typedef struct {
  GstTraceSpanId id;
  Row *row;
  GstClockTime began;
  GThread *thread;
} Open;

static GMutex mutex;
static GHashTable *rows;
static GArray *open_spans;
static guint faults;

static Row *note(GstTraceFormat *format, const GstTraceValue *values) {
  const gchar *name = gst_trace_format_get_name(format);
  Row *row = g_hash_table_lookup(rows, name);
  if (!row) {
    row = g_new0(Row, 1);
    g_hash_table_insert(rows, g_strdup(name), row);
  }
  row->count++;
  for (guint i = 0; i < gst_trace_format_get_n_fields(format); i++) {
    const gchar *field = gst_trace_format_get_field_name(format, i);
    switch (gst_trace_format_get_field_type(format, i)) {
      case GST_TRACER_FIELD_TYPE_CLOCK_TIME:
        if (g_str_equal(field, "running-time") && GST_CLOCK_TIME_IS_VALID(values[i].v_uint64)) row->with_frame++;
        break;
      case GST_TRACER_FIELD_TYPE_INT64: row->value = values[i].v_int64; break;
      case GST_TRACER_FIELD_TYPE_STRING:
        g_free(row->reason);
        row->reason = g_strdup(values[i].v_string);
        break;
      default: faults++;
    }
  }
  return row;
}

static void begins(GObject *self, GstClockTime time, GstTraceSpanId id, GstTraceFormat *format,
                   const GstTraceValue *values) {
  (void)self;
  g_mutex_lock(&mutex);
  Open entry = {id, note(format, values), time, g_thread_self()};
  g_array_append_val(open_spans, entry);
  g_mutex_unlock(&mutex);
}

static void ends(GObject *self, GstClockTime time, GstTraceSpanId id) {
  (void)self;
  g_mutex_lock(&mutex);
  gint found = -1;
  for (guint i = 0; i < open_spans->len; i++) {
    Open *entry = &g_array_index(open_spans, Open, i);
    if (entry->id == id) found = i;
    // A span of this thread that began later is still open.
    if (found >= 0 && (gint)i > found && entry->thread == g_thread_self()) faults++;
  }
  if (found < 0) {
    faults++;
  } else {
    Open *entry = &g_array_index(open_spans, Open, found);
    entry->row->ended++;
    entry->row->longest = MAX(entry->row->longest, time - entry->began);
    g_array_remove_index(open_spans, found);
  }
  g_mutex_unlock(&mutex);
}

static void happens(GObject *self, GstClockTime time, GstTraceFormat *format, const GstTraceValue *values) {
  (void)self;
  (void)time;
  g_mutex_lock(&mutex);
  note(format, values);
  g_mutex_unlock(&mutex);
}

static void receiver_init(Receiver *self) {
  gst_tracing_register_hook(GST_TRACER(self), "span-begin", G_CALLBACK(begins));
  gst_tracing_register_hook(GST_TRACER(self), "span-end", G_CALLBACK(ends));
  gst_tracing_register_hook(GST_TRACER(self), "event", G_CALLBACK(happens));
}

int main(int argc, char **argv) {
  rows = g_hash_table_new(g_str_hash, g_str_equal);
  open_spans = g_array_new(FALSE, FALSE, sizeof(Open));
  gst_init(&argc, &argv);
  GObject *receiver = g_object_new(receiver_get_type(), NULL);
  const gchar *line = argc > 1 ? argv[1]
                               : "videotestsrc num-buffers=100 ! adaptivepool ! backpressurequeue max-size-buffers=2 "
                                 "max-size-bytes=0 max-size-time=0 ! ntscfilter ! thermalcaps ! fakesink";
  GError *error = NULL;
  GstElement *pipeline = gst_parse_launch(line, &error);
  if (!pipeline) g_error("%s", error->message);
  gst_element_set_state(pipeline, GST_STATE_PLAYING);
  GstBus *bus = gst_element_get_bus(pipeline);
  gst_message_unref(gst_bus_timed_pop_filtered(bus, GST_CLOCK_TIME_NONE, GST_MESSAGE_EOS | GST_MESSAGE_ERROR));
  gst_element_set_state(pipeline, GST_STATE_NULL);
  gst_object_unref(bus);
  gst_object_unref(pipeline);
  g_mutex_lock(&mutex);
  GHashTableIter iterator;
  gpointer name, value;
  g_hash_table_iter_init(&iterator, rows);
  printf("%-24s %8s %8s %10s %12s %6s\n", "name", "count", "ended", "with frame", "longest/ns", "value");
  while (g_hash_table_iter_next(&iterator, &name, &value)) {
    Row *row = value;
    printf("%-24s %8u %8u %10u %12" G_GUINT64_FORMAT " %6" G_GINT64_FORMAT " %s\n", (char *)name, row->count,
           row->ended, row->with_frame, row->longest, row->value, row->reason ? row->reason : "");
  }
  faults += open_spans->len;
  printf("%u faults\n", faults);
  g_mutex_unlock(&mutex);
  g_object_unref(receiver);
  return faults != 0;
}
#endif
