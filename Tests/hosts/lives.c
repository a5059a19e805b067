// Plays a pipeline again and again, with every kind of end: lives LAUNCH-LINE
//
// After the 60th and the 160th life it prints the bytes in use, or, with LeakSanitizer (cc -fsanitize=leak), the leaked
// blocks; neither should grow. Swift stores bits in pointers, which LeakSanitizer does not recognize, so that tables seem
// lost; therefore only growth counts. The launch line must give all elements names, because a name is registered for
// traces once. It may have a capsfilter "caps".
#include "alone.h"
#include <gst/gst.h>
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// Present with LeakSanitizer; it prints the leaks, and nothing if there are none.
int __lsan_do_recoverable_leak_check(void) __attribute__((weak));

static void await(GstBus *bus, GstMessageType types) {
  GstMessage *message = gst_bus_timed_pop_filtered(bus, 60 * GST_SECOND, types | GST_MESSAGE_ERROR);
  if (!message) g_error("no message");
  gst_message_unref(message);
}

static void change_caps(GstElement *pipeline, int life) {
  GstElement *filter = gst_bin_get_by_name(GST_BIN(pipeline), "caps");
  if (!filter) return;
  GstCaps *caps = gst_caps_new_simple("video/x-raw", "width", G_TYPE_INT, life % 2 ? 96 : 64, "height", G_TYPE_INT, 48, NULL);
  g_object_set(filter, "caps", caps, NULL);
  gst_caps_unref(caps);
  gst_object_unref(filter);
}

static void live(const char *line, int life) {
  GstElement *parsed = gst_parse_launch(line, NULL), *pipeline = parsed;
  if (!parsed) g_error("the launch line is not valid");
  if (!GST_IS_PIPELINE(parsed)) gst_bin_add(GST_BIN(pipeline = gst_pipeline_new(NULL)), parsed);
  gst_object_set_name(GST_OBJECT(pipeline), "pipeline");
  GstBus *bus = gst_element_get_bus(pipeline);
  const gboolean has_end = strstr(line, "num-buffers") != NULL;
  gst_element_set_state(pipeline, GST_STATE_PLAYING);
  if (!has_end) {
    // A server that cannot be reached: until its warning, or at once.
    if (life % 2) gst_message_unref(gst_bus_timed_pop_filtered(bus, 60 * GST_SECOND, GST_MESSAGE_ANY));
  } else if (life % 5 == 0) {
    await(bus, GST_MESSAGE_EOS);
    gst_element_set_state(pipeline, GST_STATE_READY);
    gst_element_set_state(pipeline, GST_STATE_PLAYING);
    await(bus, GST_MESSAGE_EOS);
  } else if (life % 5 > 1) {
    await(bus, GST_MESSAGE_ASYNC_DONE);
    if (life % 5 == 2) gst_element_seek_simple(pipeline, GST_FORMAT_TIME, GST_SEEK_FLAG_FLUSH, 0);
    if (life % 5 == 3) change_caps(pipeline, life);
    if (life % 5 != 4) await(bus, GST_MESSAGE_EOS);
  }
  // In the other lives it ends while it starts or plays.
  gst_element_set_state(pipeline, GST_STATE_NULL);
  gst_object_unref(bus);
  gst_object_unref(pipeline);
}

// Threads that are ending have memory, so it waits for them.
static void print_use(int lives) {
  GMainLoop *loop = g_main_loop_new(NULL, FALSE);
  g_timeout_add(10, is_alone, loop);
  g_main_loop_run(loop);
  g_main_loop_unref(loop);
  fprintf(stderr, "After %d lives: %zu bytes in use\n", lives, mallinfo2().uordblks);
  if (__lsan_do_recoverable_leak_check && !__lsan_do_recoverable_leak_check()) fprintf(stderr, "leaked in 0 allocations\n");
}

int main(int count, char **arguments) {
  gst_init(&count, &arguments);
  g_thread_pool_set_max_unused_threads(0);
  for (int life = 1; life <= 160; life++) {
    live(arguments[1], life);
    if (life % 100 == 60) print_use(life);
  }
  // Without the check of LeakSanitizer at the end.
  _exit(0);
}
