#pragma once
#include <glib.h>

/// Timer that ends the main loop when the process has no other thread.
static gboolean is_alone(gpointer loop) {
  GDir *folder = g_dir_open("/proc/self/task", 0, NULL);
  int threads = 0;
  const char *id;
  while ((id = g_dir_read_name(folder))) {
    char *path = g_build_filename("/proc/self/task", id, "comm", NULL), *name = NULL;
    // GLib 2.84 keeps this thread, which starts those of all thread pools.
    if (!g_file_get_contents(path, &name, NULL, NULL) || g_strcmp0(name, "pool-spawner\n") != 0) threads++;
    g_free(name);
    g_free(path);
  }
  g_dir_close(folder);
  if (threads == 1) g_main_loop_quit(loop);
  return threads > 1;
}
