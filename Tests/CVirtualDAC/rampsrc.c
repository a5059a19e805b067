// A live source of the ramp with a clock of its own, which is CLOCK_MONOTONIC: a Sendspin server without a network.
//
// Every frame carries the time of the clock at which it is due, that is base time + running time + latency. With
// `virtualdac` at its defaults, the recorded error is therefore the error of the elements between them. The first half
// second is silence, until the latency of the pipeline is known.
//
// Properties
//   samplesperbuffer    frames per buffer
#include <gst/audio/audio.h>
#include <gst/base/gstpushsrc.h>

#include "CVirtualDAC.h"
#include "elements.h"

#define SILENCE (GST_SECOND / 2)

typedef struct {
  GstPushSrc parent;
  GstAudioInfo info;
  guint64 next;  // frames since the running time 0
  guint samples_per_buffer;
  GstClockTime latency;
} RampSource;

typedef struct {
  GstPushSrcClass parent;
} RampSourceClass;

G_DEFINE_TYPE(RampSource, ramp_source, GST_TYPE_PUSH_SRC)

static RampSource *ramp_source(gpointer object) { return object; }

static gboolean ramp_source_set_caps(GstBaseSrc *source, GstCaps *caps) {
  return gst_audio_info_from_caps(&ramp_source(source)->info, caps);
}

static GstCaps *ramp_source_fixate(GstBaseSrc *source, GstCaps *caps) {
  caps = gst_caps_make_writable(caps);
  gst_structure_fixate_field_nearest_int(gst_caps_get_structure(caps, 0), "rate", 48000);
  return GST_BASE_SRC_CLASS(ramp_source_parent_class)->fixate(source, caps);
}

static gboolean ramp_source_event(GstBaseSrc *source, GstEvent *event) {
  if (GST_EVENT_TYPE(event) == GST_EVENT_LATENCY) {
    GstClockTime latency;
    gst_event_parse_latency(event, &latency);
    GST_OBJECT_LOCK(source);
    ramp_source(source)->latency = latency;
    GST_OBJECT_UNLOCK(source);
  }
  return GST_BASE_SRC_CLASS(ramp_source_parent_class)->event(source, event);
}

static gboolean ramp_source_start(GstBaseSrc *source) {
  ramp_source(source)->next = 0;
  return TRUE;
}

/// Begins at the present running time instead of with what is in the past.
static void begin_now(RampSource *self) {
  GstClock *clock = gst_element_get_clock(GST_ELEMENT(self));
  if (!clock) return;
  GstClockTime running = gst_clock_get_time(clock) - gst_element_get_base_time(GST_ELEMENT(self));
  self->next = gst_util_uint64_scale(running, self->info.rate, GST_SECOND);
  gst_object_unref(clock);
}

static void fill_frames(RampSource *self, GstBuffer *buffer) {
  GstMapInfo map;
  gst_buffer_map(buffer, &map, GST_MAP_WRITE);
  if (GST_BUFFER_PTS(buffer) < SILENCE) {
    memset(map.data, 0, map.size);
  } else {
    GST_OBJECT_LOCK(self);
    GstClockTime due = GST_ELEMENT(self)->base_time + GST_BUFFER_PTS(buffer) + self->latency;
    GST_OBJECT_UNLOCK(self);
    guint64 index = gst_util_uint64_scale_round(due, self->info.rate, GST_SECOND);
    cvirtualdac_write_ramp(map.data, index, self->samples_per_buffer, self->info.finfo->width / 8);
  }
  gst_buffer_unmap(buffer, &map);
}

static GstFlowReturn ramp_source_create(GstPushSrc *source, GstBuffer **buffer) {
  RampSource *self = ramp_source(source);
  if (!self->next) begin_now(self);
  *buffer = gst_buffer_new_allocate(NULL, (gsize)self->samples_per_buffer * self->info.bpf, NULL);
  guint64 end = self->next + self->samples_per_buffer;
  GST_BUFFER_PTS(*buffer) = gst_util_uint64_scale_round(self->next, GST_SECOND, self->info.rate);
  GST_BUFFER_DURATION(*buffer) =
      gst_util_uint64_scale_round(end, GST_SECOND, self->info.rate) - GST_BUFFER_PTS(*buffer);
  fill_frames(self, *buffer);
  self->next = end;
  return GST_FLOW_OK;
}

/// The base class waits for these times before it pushes the buffer.
static void ramp_source_get_times(GstBaseSrc *source, GstBuffer *buffer, GstClockTime *start, GstClockTime *end) {
  *start = GST_BUFFER_PTS(buffer);
  *end = *start + GST_BUFFER_DURATION(buffer);
}

static GstClock *ramp_source_provide_clock(GstElement *element) { return gst_system_clock_obtain(); }

static void ramp_source_set_property(GObject *object, guint id, const GValue *value, GParamSpec *spec) {
  ramp_source(object)->samples_per_buffer = g_value_get_uint(value);
}

static void ramp_source_get_property(GObject *object, guint id, GValue *value, GParamSpec *spec) {
  g_value_set_uint(value, ramp_source(object)->samples_per_buffer);
}

static void ramp_source_init(RampSource *self) {
  self->samples_per_buffer = 1200;
  gst_base_src_set_live(GST_BASE_SRC(self), TRUE);
  gst_base_src_set_format(GST_BASE_SRC(self), GST_FORMAT_TIME);
  GST_OBJECT_FLAG_SET(self, GST_ELEMENT_FLAG_PROVIDE_CLOCK);
}

static void ramp_source_class_init(RampSourceClass *class) {
  GObjectClass *object = G_OBJECT_CLASS(class);
  object->set_property = ramp_source_set_property;
  object->get_property = ramp_source_get_property;
  GParamSpec *spec = g_param_spec_uint("samplesperbuffer", NULL, NULL, 1, 1000000, 1200,
                                       G_PARAM_READWRITE | G_PARAM_CONSTRUCT | G_PARAM_STATIC_STRINGS);
  g_object_class_install_property(object, 1, spec);
  GstElementClass *element = GST_ELEMENT_CLASS(class);
  element->provide_clock = ramp_source_provide_clock;
  gst_element_class_set_static_metadata(element, "Ramp source", "Source/Audio", "Plays frames that carry their times",
                                        "gst-plugins-swift");
  GstCaps *caps = gst_caps_from_string(
      "audio/x-raw, format=(string){S16LE, S24LE}, layout=interleaved, rate=(int)[8000, 384000], channels=2");
  gst_element_class_add_pad_template(element, gst_pad_template_new("src", GST_PAD_SRC, GST_PAD_ALWAYS, caps));
  gst_caps_unref(caps);
  GstBaseSrcClass *source = GST_BASE_SRC_CLASS(class);
  source->set_caps = ramp_source_set_caps;
  source->fixate = ramp_source_fixate;
  source->event = ramp_source_event;
  source->start = ramp_source_start;
  source->get_times = ramp_source_get_times;
  GST_PUSH_SRC_CLASS(class)->create = ramp_source_create;
}

gboolean ramp_source_register(GstPlugin *plugin) {
  return gst_element_register(plugin, "rampsrc", GST_RANK_NONE, ramp_source_get_type());
}
