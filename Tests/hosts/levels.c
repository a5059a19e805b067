// Repeatedly changes levels, quality requests, positions and states of a pipeline: levels <rounds>
#include <gst/gst.h>
#include <stdlib.h>

int main(int count, char **arguments) {
  gst_init(&count, &arguments);
  if (count != 2) g_error("levels <rounds>");
  GstElement *pipeline = gst_parse_launch(
      "videotestsrc is-live=true ! video/x-raw,width=96,height=70,framerate=60/1;video/x-raw ! thermalcaps name=caps "
      "poll-interval=10000000 down-dwell=0 up-dwell=0 min-height=16 ! queue ! vp8enc deadline=1 ! fakesink sync=false",
      NULL);
  GstElement *caps = gst_bin_get_by_name(GST_BIN(pipeline), "caps");
  GstBus *bus = gst_element_get_bus(pipeline);
  const gchar *levels[] = {"critical", "nominal", "serious", "unknown", "none"};
  for (int round = 0; round < atoi(arguments[1]); round++) {
    gst_element_set_state(pipeline, round % 5 == 3 ? GST_STATE_PAUSED : GST_STATE_PLAYING);
    gst_util_set_object_arg(G_OBJECT(caps), "forced-level", levels[round % 5]);
    // The pipeline plays for up to 60 ms.
    if (gst_bus_timed_pop_filtered(bus, (round % 4) * 20 * GST_MSECOND, GST_MESSAGE_ERROR)) g_error("an error");
    gst_element_send_event(
        caps, gst_event_new_custom(GST_EVENT_CUSTOM_UPSTREAM,
                                   gst_structure_new(round % 2 ? "quality-degrade" : "quality-restore", "reason",
                                                     G_TYPE_STRING, "test", NULL)));
    if (round % 4 == 1) gst_element_seek_simple(pipeline, GST_FORMAT_TIME, GST_SEEK_FLAG_FLUSH, 0);
    if (round % 3 == 2) gst_element_set_state(pipeline, round % 2 ? GST_STATE_NULL : GST_STATE_READY);
    GstMessage *error = gst_bus_pop_filtered(bus, GST_MESSAGE_ERROR);
    if (error) g_error("an error");
    gst_bus_set_flushing(bus, TRUE);
    gst_bus_set_flushing(bus, FALSE);
  }
  gst_element_set_state(pipeline, GST_STATE_NULL);
  gst_object_unref(caps);
  gst_object_unref(bus);
  gst_object_unref(pipeline);
  gst_deinit();
  return 0;
}
