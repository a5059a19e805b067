#pragma once
#include <glib.h>

/// Timer that ends the main loop when the process has no other thread.
static gboolean is_alone(gpointer loop) {
  GDir *folder = g_dir_open("/proc/self/task", 0, NULL);
  int threads = 0;
  while (g_dir_read_name(folder)) threads++;
  g_dir_close(folder);
  if (threads == 1) g_main_loop_quit(loop);
  return threads > 1;
}
