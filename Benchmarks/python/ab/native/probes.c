// Pad probes of the measured process, in C so that no frame waits for Python.
#include <gst/gst.h>

#define MOST_FRAMES 131072

/// The frames that passed a pad: the running time of each frame, when it passed, its bytes, and its pool. native.py has
/// the same structure.
typedef struct {
  gint number;
  GstClockTime times[MOST_FRAMES];
  gint64 passed[MOST_FRAMES];
  guint64 sizes[MOST_FRAMES];
  guint64 pools[MOST_FRAMES];
} Frames;

static GstPadProbeReturn record(GstPad *pad, GstPadProbeInfo *info, gpointer data) {
  Frames *frames = data;
  GstBuffer *buffer = GST_PAD_PROBE_INFO_BUFFER(info);
  gint index = g_atomic_int_get(&frames->number);
  if (index < MOST_FRAMES) {
    GstEvent *event = gst_pad_get_sticky_event(pad, GST_EVENT_SEGMENT, 0);
    const GstSegment *segment = NULL;
    if (event) gst_event_parse_segment(event, &segment);
    frames->times[index] = segment && segment->format == GST_FORMAT_TIME
                               ? gst_segment_to_running_time(segment, GST_FORMAT_TIME, GST_BUFFER_PTS(buffer))
                               : GST_BUFFER_PTS(buffer);
    if (event) gst_event_unref(event);
    frames->passed[index] = g_get_monotonic_time();
    frames->sizes[index] = gst_buffer_get_size(buffer);
    frames->pools[index] = (guint64)(guintptr)buffer->pool;
    g_atomic_int_inc(&frames->number);
  }
  return GST_PAD_PROBE_OK;
}

/// Records what passes a pad, until the process ends.
Frames *ab_record(GstPad *pad) {
  Frames *frames = g_new0(Frames, 1);
  gst_pad_add_probe(pad, GST_PAD_PROBE_TYPE_BUFFER, record, frames, NULL);
  return frames;
}

static GstPadProbeReturn count(GstPad *pad, GstPadProbeInfo *info, gpointer data) {
  (void)pad;
  gboolean is_list = (info->type & GST_PAD_PROBE_TYPE_BUFFER_LIST) != 0;
  g_atomic_int_add((gint *)data, is_list ? (gint)gst_buffer_list_length(GST_PAD_PROBE_INFO_BUFFER_LIST(info)) : 1);
  return GST_PAD_PROBE_OK;
}

/// Counts the packets that pass a pad, until the process ends.
gint *ab_count(GstPad *pad) {
  gint *number = g_new0(gint, 1);
  gst_pad_add_probe(pad, GST_PAD_PROBE_TYPE_BUFFER | GST_PAD_PROBE_TYPE_BUFFER_LIST, count, number, NULL);
  return number;
}

static gboolean restamp_packet(GstBuffer **packet, guint index, gpointer data) {
  guint8 stamp[4];
  (void)index, (void)data;
  if (gst_buffer_extract(*packet, 4, stamp, 4) == 4) {
    *packet = gst_buffer_make_writable(*packet);
    // A parser takes the DTS where both differ.
    GST_BUFFER_PTS(*packet) = gst_util_uint64_scale(GST_READ_UINT32_BE(stamp), GST_SECOND, 90000);
    GST_BUFFER_DTS(*packet) = GST_BUFFER_PTS(*packet);
  }
  return TRUE;
}

static GstPadProbeReturn restamp(GstPad *pad, GstPadProbeInfo *info, gpointer data) {
  (void)pad;
  if (info->type & GST_PAD_PROBE_TYPE_BUFFER_LIST) {
    GstBufferList *packets = gst_buffer_list_make_writable(GST_PAD_PROBE_INFO_BUFFER_LIST(info));
    gst_buffer_list_foreach(packets, restamp_packet, data);
    info->data = packets;
  } else {
    restamp_packet((GstBuffer **)&info->data, 0, data);
  }
  return GST_PAD_PROBE_OK;
}

/// Gives RTP packets the running time of the sender, which is their timestamp: timestamp-offset is 0 and the sender has
/// the same base time. Without that the age of a frame would count from its reception.
void ab_restamp(GstPad *pad) {
  gst_pad_add_probe(pad, GST_PAD_PROBE_TYPE_BUFFER | GST_PAD_PROBE_TYPE_BUFFER_LIST, restamp, NULL, NULL);
}

/// A receiver that is slow for `span` of each `period`: it sleeps for `pause` with each frame. All are in ns.
typedef struct {
  GstClockTime period, span, pause;
} Slowness;

static GstPadProbeReturn slow_down(GstPad *pad, GstPadProbeInfo *info, gpointer data) {
  (void)pad;
  Slowness *slowness = data;
  GstClockTime time = GST_BUFFER_PTS(GST_PAD_PROBE_INFO_BUFFER(info));
  if (time % slowness->period >= slowness->period - slowness->span) g_usleep(slowness->pause / 1000);
  return GST_PAD_PROBE_OK;
}

/// Makes the frames that pass a pad slow at times. The times are those of the frames, so all runs are alike.
void ab_slow_down(GstPad *pad, guint64 period, guint64 span, guint64 pause) {
  Slowness *slowness = g_new0(Slowness, 1);
  *slowness = (Slowness){period, span, pause};
  gst_pad_add_probe(pad, GST_PAD_PROBE_TYPE_BUFFER, slow_down, slowness, NULL);
}
