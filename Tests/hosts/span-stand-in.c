// Plays a launch line in a program with a stand-in for the span API of GStreamer 1.30, which prints what it receives.
//
//   cc -Wall -Wl,--export-dynamic Tests/hosts/span-stand-in.c -o /tmp/stand-in $(pkg-config --cflags --libs gstreamer-1.0)
//   GST_PLUGIN_PATH=out/plugin GST_TRACERS=factories /tmp/stand-in 'videotestsrc num-buffers=9 ! ntscfilter ! fakesink'
//
// The plugin looks up the functions by name, and calls them only if GStreamer has a tracer. Their names, types and sizes
// are those of gst/gsttracer.h of GStreamer 1.29.2.
#include <gst/gst.h>
#include <stdio.h>

typedef struct {
  char name[64];
  int fields;
  char field[4][32];
  unsigned type[4];
} Format;

typedef union {
  guint64 number;
  const char *text;
  gpointer reserved[4];
} Value;

static GMutex mutex;
static guint64 last_span;

Format *gst_trace_format_builder_new(const char *name) {
  Format *format = g_new0(Format, 1);
  g_strlcpy(format->name, name, sizeof format->name);
  return format;
}

Format *gst_trace_format_builder_add_field(Format *format, const char *name, unsigned type) {
  g_strlcpy(format->field[format->fields], name, sizeof format->field[0]);
  format->type[format->fields++] = type;
  return format;
}

Format *gst_trace_format_builder_register(Format *format) {
  printf("format %s\n", format->name);
  return format;
}

static void print(const char *what, guint64 span, const Format *format, const Value *values) {
  printf("%s %" G_GUINT64_FORMAT " %s", what, span, format->name);
  for (int i = 0; i < format->fields; i++) {
    printf(" %s=", format->field[i]);
    if (format->type[i] == 6) {
      printf("%s", values[i].text);
    } else {
      printf("%" G_GINT64_FORMAT, (gint64)values[i].number);
    }
  }
  printf("\n");
}

guint64 gst_trace_span_begin(Format *format, const Value *values) {
  g_mutex_lock(&mutex);
  guint64 span = ++last_span;
  print("begin", span, format, values);
  g_mutex_unlock(&mutex);
  return span;
}

void gst_trace_span_end(guint64 span) {
  g_mutex_lock(&mutex);
  printf("end %" G_GUINT64_FORMAT "\n", span);
  g_mutex_unlock(&mutex);
}

void gst_trace_event(Format *format, const Value *values) {
  g_mutex_lock(&mutex);
  print("event", 0, format, values);
  g_mutex_unlock(&mutex);
}

int main(int count, char **arguments) {
  gst_init(&count, &arguments);
  GstElement *pipeline = gst_parse_launch(count == 2 ? arguments[1] : "", NULL);
  if (!pipeline) g_error("span-stand-in LAUNCH-LINE");
  GstBus *bus = gst_element_get_bus(pipeline);
  gst_element_set_state(pipeline, GST_STATE_PLAYING);
  GstMessage *message = gst_bus_timed_pop_filtered(bus, 60 * GST_SECOND, GST_MESSAGE_EOS | GST_MESSAGE_ERROR);
  if (message) printf("message %s\n", GST_MESSAGE_TYPE_NAME(message));
  gst_clear_message(&message);
  gst_element_set_state(pipeline, GST_STATE_NULL);
  gst_object_unref(bus);
  gst_object_unref(pipeline);
  return 0;
}
