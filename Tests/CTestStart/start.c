#include "CTestStart.h"

#include <gst/gst.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char *folder;

const char *cteststart_folder(void) { return folder; }

/// Whether a critical message aborts the test run. Tests set properties to values out of range, which GLib refuses; GLib
/// 2.84 logs this as critical, older versions as a warning.
static gboolean is_fatal(const gchar *domain, GLogLevelFlags level, const gchar *message, gpointer data) {
  (void)level, (void)data;
  return g_strcmp0(domain, "GLib-GObject") != 0 || !strstr(message, " is invalid or out of range for property ");
}

/// Initializes GStreamer before main(), and so before the first test.
///
/// Tests run in any order and in parallel. A test that is the first to use GStreamer would read tables that gst_init()
/// makes, and crash. setenv() must not run while another thread reads the environment.
__attribute__((constructor)) static void start(void) {
  folder = g_strdup_printf("%s/gst-swift-tests-%d", g_get_tmp_dir(), (int)getpid());
  char *data = g_build_filename(folder, "data", NULL);
  char *here = g_path_get_dirname(__FILE__);
  char *presets = g_build_filename(here, "..", "..", "presets", NULL);
  // GLib reads the folder of the user's presets once, GStreamer the folder of the system's presets.
  setenv("XDG_DATA_HOME", data, 1);
  setenv("GST_PRESET_PATH", presets, 1);
  // Tests of discovery start a bus of their own; no test uses that of the machine.
  char *bus = g_strdup_printf("unix:path=%s/bus", folder);
  setenv("DBUS_SYSTEM_BUS_ADDRESS", bus, 1);
  g_free(bus);
  g_free(data);
  g_free(here);
  g_free(presets);

  gst_init(NULL, NULL);
  // A critical message is a bug, so it aborts the test run.
  g_log_set_always_fatal(G_LOG_LEVEL_CRITICAL | G_LOG_LEVEL_ERROR);
  g_test_log_set_fatal_handler(is_fatal, NULL);
  // Tests raise thresholds, and the function that prints must not be removed while other threads log.
  if (!g_getenv("GST_DEBUG")) gst_debug_remove_log_function(NULL);
}
