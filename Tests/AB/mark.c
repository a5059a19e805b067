// Gives each frame at a pad a timecode and a region of interest, and sends a tag before the sixth frame. Python holds a
// reference of its own to a buffer, which is not writable then.
#include <gst/gst.h>
#include <gst/video/video.h>

static GstPadProbeReturn mark(GstPad *pad, GstPadProbeInfo *info, gpointer data) {
  guint *number = data;
  GstBuffer *buffer = gst_buffer_make_writable(GST_PAD_PROBE_INFO_BUFFER(info));
  gst_buffer_add_video_time_code_meta_full(buffer, 25, 1, NULL, GST_VIDEO_TIME_CODE_FLAGS_NONE, 1, 2, 3,
                                           *number % 25, 0);
  gst_buffer_add_video_region_of_interest_meta(buffer, "face", *number, 10, 32, 16)->id = 7;
  info->data = buffer;
  if (*number == 5) {
    GstTagList *tags = gst_tag_list_new(GST_TAG_TITLE, "mid-stream", NULL);
    gst_pad_push_event(pad, gst_event_new_tag(tags));
  }
  *number += 1;
  return GST_PAD_PROBE_OK;
}

void mark_frames(GstPad *pad) { gst_pad_add_probe(pad, GST_PAD_PROBE_TYPE_BUFFER, mark, g_new0(guint, 1), NULL); }
