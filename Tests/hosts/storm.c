// Repeatedly changes states and caps of any pipeline, and flushes it: storm <rounds> <kilobytes> <launch line>
// It sets the width in a capsfilter called "caps". At the end there must not be more threads and files than after a
// tenth of the rounds, and the resident memory must not have grown by <kilobytes>.
#include <dirent.h>
#include <gst/gst.h>
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>

static int entries(const char *folder) {
  int count = -2;  // "." and ".."
  DIR *directory = opendir(folder);
  while (readdir(directory)) count++;
  closedir(directory);
  return count;
}

struct use { int threads, files; long kilobytes; };

struct rest { GMainLoop *loop; int threads, looks, left; };

static gboolean is_at_rest(gpointer data) {
  struct rest *rest = data;
  int threads = entries("/proc/self/task");
  rest->looks = threads == rest->threads ? rest->looks + 1 : 0;
  rest->threads = threads;
  if (rest->looks < 30 && --rest->left > 0) return G_SOURCE_CONTINUE;
  g_main_loop_quit(rest->loop);
  return G_SOURCE_REMOVE;
}

// Waits until the counts do not change for 0.3 s, at most 5 s, because threads of stopped pools may still be ending.
static void wait_for_rest(void) {
  struct rest rest = {g_main_loop_new(NULL, FALSE), 0, 0, 500};
  g_timeout_add(10, is_at_rest, &rest);
  g_main_loop_run(rest.loop);
  g_main_loop_unref(rest.loop);
}

static void fail_at(GstMessage *error) {
  if (error) g_error("%s", gst_structure_to_string(gst_message_get_structure(error)));
}

static struct use look(const char *when) {
  wait_for_rest();
  malloc_trim(0);
  long pages = 0;
  FILE *file = fopen("/proc/self/statm", "r");
  if (!file || fscanf(file, "%*d %ld", &pages) != 1) g_error("no statm");
  fclose(file);
  struct use use = {entries("/proc/self/task"), entries("/proc/self/fd"), pages * 4};
  printf("%s: threads %d, files %d, kilobytes %ld\n", when, use.threads, use.files, use.kilobytes);
  fflush(stdout);
  return use;
}

static void storm(GstElement *pipeline, GstElement *filter, GstBus *bus, int round) {
  static const GstState targets[] = {GST_STATE_PLAYING, GST_STATE_PAUSED, GST_STATE_PLAYING, GST_STATE_READY,
                                     GST_STATE_PLAYING, GST_STATE_NULL};
  gst_element_set_state(pipeline, targets[round % 6]);
  // Some rounds wait for the state change, in others the next one follows at once.
  if (round % 4 == 0) gst_element_get_state(pipeline, NULL, NULL, GST_SECOND);
  if (round % 5 == 0) gst_element_seek_simple(pipeline, GST_FORMAT_TIME, GST_SEEK_FLAG_FLUSH, 0);
  if (filter && round % 3 == 0) {
    gchar *caps = g_strdup_printf("video/x-raw,width=%d,height=48", 64 + 8 * (round % 9));
    gst_util_set_object_arg(G_OBJECT(filter), "caps", caps);
    g_free(caps);
  }
  if (round % 7 == 0) fail_at(gst_bus_timed_pop_filtered(bus, 3 * GST_MSECOND, GST_MESSAGE_ERROR));
}

int main(int count_of, char **arguments) {
  gst_init(&count_of, &arguments);
  if (count_of != 4) g_error("storm <rounds> <kilobytes> <launch line>");
  GstElement *pipeline = gst_parse_launch(arguments[3], NULL);
  GstElement *filter = gst_bin_get_by_name(GST_BIN(pipeline), "caps");
  GstBus *bus = gst_element_get_bus(pipeline);
  int rounds = atoi(arguments[1]);
  struct use early = {0}, late;
  for (int round = 0; round <= rounds; round++) {
    storm(pipeline, filter, bus, round);
    if (round == rounds / 10) {
      gst_element_set_state(pipeline, GST_STATE_NULL);
      early = look("early");
    }
    GstMessage *message;
    while ((message = gst_bus_pop(bus))) {
      if (GST_MESSAGE_TYPE(message) == GST_MESSAGE_ERROR) fail_at(message);
      gst_message_unref(message);
    }
  }
  gst_element_set_state(pipeline, GST_STATE_NULL);
  late = look("late");
  // GStreamer keeps a few threads for later.
  if (late.threads > early.threads + 4 || late.files > early.files ||
      late.kilobytes > early.kilobytes + atol(arguments[2]))
    g_error("something has grown");
  if (filter) gst_object_unref(filter);
  gst_object_unref(bus);
  gst_object_unref(pipeline);
  gst_deinit();
  return 0;
}
