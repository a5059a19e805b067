// Repeatedly changes states, positions and presets of a pipeline: states <rounds> <frames> <threads>
#include <gst/gst.h>
#include <stdlib.h>

static void wait_for_end(GstBus *bus) {
  GstMessage *message = gst_bus_timed_pop_filtered(bus, 60 * GST_SECOND, GST_MESSAGE_EOS | GST_MESSAGE_ERROR);
  if (!message || GST_MESSAGE_TYPE(message) != GST_MESSAGE_EOS) g_error("the stream did not end");
  gst_message_unref(message);
}

static void change_settings(GstElement *filter, int round) {
  gchar *json = NULL;
  g_object_get(filter, "preset-json", &json, NULL);
  g_object_set(filter, "preset-json", json, "snow-intensity", (gdouble)(round % 50), NULL);
  g_free(json);
  gst_preset_load_preset(GST_PRESET(filter), round % 2 ? "bad-tracking" : "vhs-ep");
  if (round % 7 == 0) g_object_set(filter, "preset-file", "/nowhere", NULL);
  g_object_set(filter, "preset-file", NULL, "enabled", round % 5 != 0, NULL);
}

int main(int count, char **arguments) {
  gst_init(&count, &arguments);
  if (count != 4) g_error("states <rounds> <frames> <threads>");
  gchar *launch = g_strdup_printf(
      "videotestsrc num-buffers=%s ! video/x-raw,width=96,height=70,framerate=30/1 "
      "! ntscfilter name=filter n-threads=%s ! fakesink",
      arguments[2], arguments[3]);
  GstElement *pipeline = gst_parse_launch(launch, NULL);
  g_free(launch);
  GstElement *filter = gst_bin_get_by_name(GST_BIN(pipeline), "filter");
  GstBus *bus = gst_element_get_bus(pipeline);
  for (int round = 0; round < atoi(arguments[1]); round++) {
    gst_element_set_state(pipeline, GST_STATE_PLAYING);
    if (round % 3 == 0) wait_for_end(bus);
    change_settings(filter, round);
    if (round % 4 == 1) gst_element_seek_simple(pipeline, GST_FORMAT_TIME, GST_SEEK_FLAG_FLUSH, GST_SECOND / 3);
    gst_element_set_state(pipeline, round % 2 ? GST_STATE_NULL : GST_STATE_READY);
    // Errors of bad files must not reach the next round.
    gst_bus_set_flushing(bus, TRUE);
    gst_bus_set_flushing(bus, FALSE);
  }
  gst_element_set_state(pipeline, GST_STATE_NULL);
  gst_object_unref(filter);
  gst_object_unref(bus);
  gst_object_unref(pipeline);
  gst_deinit();
  return 0;
}
