// Forks after gst_init(), and plays a pipeline in three threads of each child: forks CHILDREN LAUNCH-LINE [changes|ready]
//
// The parent plays the pipeline first; with "ready", it only changes the pipeline to READY. The parent has no other threads then, because GLib's own locks may stay locked in the child otherwise. With "changes",
// a thread of the parent changes the states of the elements meanwhile; then 5 of 60 children with the element queue hang
// in gst_task_set_state(). A child that does not end within 120 s is killed and counted. It prints the numbers of
// children that hung and that failed; the exit status is 1 if there are any.
#define _GNU_SOURCE
#include "alone.h"
#include <gst/gst.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { threads = 3, jobs = 4 };

static const char *line;
static gint arrived, unplayed, is_over;

static GstElement *make_pipeline(void) {
  GstElement *parsed = gst_parse_launch(line, NULL), *pipeline = parsed;
  if (!parsed) g_error("the launch line is not valid");
  if (!GST_IS_PIPELINE(parsed)) gst_bin_add(GST_BIN(pipeline = gst_pipeline_new(NULL)), parsed);
  return pipeline;
}

// Plays to the end; a line without an end, as of a server that cannot be reached, plays for 20 ms.
static void play(void) {
  const gboolean has_end = strstr(line, "num-buffers") != NULL;
  GstElement *pipeline = make_pipeline();
  GstBus *bus = gst_element_get_bus(pipeline);
  gst_element_set_state(pipeline, GST_STATE_PLAYING);
  GstMessage *message = gst_bus_timed_pop_filtered(
      bus, has_end ? 100 * GST_SECOND : 20 * GST_MSECOND, has_end ? GST_MESSAGE_EOS | GST_MESSAGE_ERROR : GST_MESSAGE_ERROR);
  if (has_end && !(message && GST_MESSAGE_TYPE(message) == GST_MESSAGE_EOS)) g_atomic_int_inc(&unplayed);
  if (message) gst_message_unref(message);
  gst_element_set_state(pipeline, GST_STATE_NULL);
  gst_object_unref(bus);
  gst_object_unref(pipeline);
}

static void become_ready(void) {
  GstElement *pipeline = make_pipeline();
  gst_element_set_state(pipeline, GST_STATE_READY);
  gst_element_set_state(pipeline, GST_STATE_NULL);
  gst_object_unref(pipeline);
}

static gpointer change_states(gpointer data) {
  while (!g_atomic_int_get(&is_over)) {
    GstElement *parsed = gst_parse_launch(line, NULL);
    gst_element_set_state(parsed, GST_STATE_PAUSED);
    gst_element_set_state(parsed, GST_STATE_NULL);
    gst_object_unref(parsed);
  }
  return data;
}

// An idle thread of GLib's pools, which run streaming threads, would receive tasks in the child although it is not there.
static void wait_for_threads(void) {
  g_thread_pool_set_max_unused_threads(0);
  GMainLoop *loop = g_main_loop_new(NULL, FALSE);
  g_timeout_add(10, is_alone, loop);
  g_main_loop_run(loop);
  g_main_loop_unref(loop);
}

// Pushes an event, and changes states, at the same time as the other threads, and plays.
static gpointer push_and_play(gpointer data) {
  GstPad *pad = gst_pad_new("src", GST_PAD_SRC);
  gst_pad_set_active(pad, TRUE);
  g_atomic_int_inc(&arrived);
  while (g_atomic_int_get(&arrived) < threads) g_thread_yield();
  gst_pad_push_event(pad, gst_event_new_stream_start("forks"));
  gst_object_unref(pad);
  // A tracer follows the states of all pipelines.
  GstElement *empty = gst_pipeline_new(NULL);
  for (int i = 0; i < 200; i++) gst_element_set_state(empty, i % 2 ? GST_STATE_PAUSED : GST_STATE_PLAYING);
  gst_element_set_state(empty, GST_STATE_NULL);
  gst_object_unref(empty);
  play();
  return data;
}

static pid_t start_child(void) {
  pid_t child = fork();
  if (child) return child;
  GThread *others[threads - 1];
  for (int i = 0; i < threads - 1; i++) others[i] = g_thread_new("player", push_and_play, NULL);
  // The thread that called fork() pushes, too: it has the thread-local storage of the parent.
  push_and_play(NULL);
  for (int i = 0; i < threads - 1; i++) g_thread_join(others[i]);
  _exit(unplayed > 0);
}

int main(int count, char **arguments) {
  gst_init(&count, &arguments);
  if (count < 3) g_error("usage: forks CHILDREN LAUNCH-LINE [changes|ready]");
  const char *mode = count > 3 ? arguments[3] : "";
  line = arguments[2];
  sigset_t ends;
  sigemptyset(&ends);
  sigaddset(&ends, SIGCHLD);
  sigprocmask(SIG_BLOCK, &ends, NULL);
  g_str_equal(mode, "ready") ? become_ready() : play();
  wait_for_threads();
  GThread *changer = g_str_equal(mode, "changes") ? g_thread_new("changer", change_states, NULL) : NULL;

  struct { pid_t id; gint64 start; } running[jobs] = {0};
  int left = atoi(arguments[1]), alive = 0, hung = 0, failed = 0;
  while (left > 0 || alive > 0) {
    for (int i = 0; i < jobs; i++) {
      if (running[i].id) {
        int status = 0;
        gboolean has_ended = waitpid(running[i].id, &status, WNOHANG) == running[i].id;
        if (has_ended && status != 0) failed++, printf("a child ended with the wait status %d\n", status);
        if (!has_ended && g_get_monotonic_time() - running[i].start > 120 * G_USEC_PER_SEC) {
          kill(running[i].id, SIGKILL);
          waitpid(running[i].id, NULL, 0);
          hung++;
          has_ended = TRUE;
        }
        if (has_ended) running[i].id = 0, alive--;
      } else if (left > 0) {
        running[i].start = g_get_monotonic_time();
        running[i].id = start_child();
        left--, alive++;
      }
    }
    sigtimedwait(&ends, NULL, &(struct timespec){.tv_nsec = 100000000});
  }
  g_atomic_int_set(&is_over, TRUE);
  if (changer) g_thread_join(changer);
  printf("%s children: %d hung, %d failed\n", arguments[1], hung, failed);
  return hung + failed > 0;
}
