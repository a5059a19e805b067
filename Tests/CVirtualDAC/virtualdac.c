// An audio sink whose device exists only in memory, runs at a rate of its own, and knows when each sample is heard.
//
// Properties
//   ppm             deviation of the rate of the device from the server's clock; may change while it plays
//   clock-step      the device reports its position in steps of this many frames (1 = exactly)
//   start-delay     nanoseconds between the start of the device and its first sample
//   monotonic-raw   use CLOCK_MONOTONIC_RAW as the server's clock instead of CLOCK_MONOTONIC
//   clock-offset    server time minus that clock, in nanoseconds; may change while it plays
//   signal          0: ramp (see CVirtualDAC.h); 1: clicks, each centred on a multiple of 0.5 s of the server time
//   settle-time     errors this long after the first sample count as settled, in nanoseconds
//   log-location    CSV file: server_time_ns,index,error_ns,event,count and at the end the statistics as comments
//   log-interval    nanoseconds between two lines of the event "sample"
//   stats           structure "virtualdac", also posted as an element message when the element goes to READY
//
// Statistics: times in nanoseconds; the error is playout time minus ideal time, positive is late
//   frames, rate                           frames played, of any content; the last sample rate
//   silent, splices                        silent frames between frames of the ramp; places where the ramp is not
//                                          continuous: silence, or a jump by more than one frame
//   repeated, lost                         frames played again, frames left out
//   altered                                frames with other low bits than those of the ramp in 24 bits
//   unknown                                frames that are neither silence nor the ramp of the last or next minute
//   underruns, discarded                   times without frames; frames that were written and flushed
//   first-time, first-error, last-error    server time and error of the first frame, error of the last
//   error-count, -min, -max, -p50, -p99    of all frames, or clicks; p50 and p99 are of the size of the error
//   settled-…                              the same, of those after settle-time
#include <gst/audio/gstaudiosink.h>

#include "CVirtualDAC.h"
#include "device.h"
#include "elements.h"

typedef struct {
  GstAudioSink parent;
  Device device;
  gchar *log_location;
} VirtualDAC;

typedef struct {
  GstAudioSinkClass parent;
} VirtualDACClass;

enum {
  PROP_PPM = 1,
  PROP_CLOCK_STEP,
  PROP_START_DELAY,
  PROP_MONOTONIC_RAW,
  PROP_CLOCK_OFFSET,
  PROP_SIGNAL,
  PROP_SETTLE_TIME,
  PROP_LOG_LOCATION,
  PROP_LOG_INTERVAL,
  PROP_STATS,
};

G_DEFINE_TYPE(VirtualDAC, virtual_dac, GST_TYPE_AUDIO_SINK)

static VirtualDAC *virtual_dac(gpointer object) { return object; }

static gboolean virtual_dac_open(GstAudioSink *sink) { return TRUE; }

static gboolean virtual_dac_prepare(GstAudioSink *sink, GstAudioRingBufferSpec *spec) {
  gint64 capacity = (gint64)spec->segsize / spec->info.bpf * spec->segtotal;
  device_open(&virtual_dac(sink)->device, GST_AUDIO_INFO_FORMAT(&spec->info), spec->info.rate, spec->info.bpf, capacity);
  return TRUE;
}

static gboolean virtual_dac_unprepare(GstAudioSink *sink) {
  device_close(&virtual_dac(sink)->device);
  return TRUE;
}

static gint virtual_dac_write(GstAudioSink *sink, gpointer data, guint length) {
  Device *device = &virtual_dac(sink)->device;
  device_write(device, data, length / device->frame_bytes);
  return (gint)length;
}

static guint virtual_dac_delay(GstAudioSink *sink) { return device_delay(&virtual_dac(sink)->device); }

static void virtual_dac_reset(GstAudioSink *sink) { device_reset(&virtual_dac(sink)->device); }

static GstStateChangeReturn virtual_dac_change_state(GstElement *element, GstStateChange transition) {
  VirtualDAC *self = virtual_dac(element);
  if (transition == GST_STATE_CHANGE_NULL_TO_READY && !recorder_set_log(&self->device.recorder, self->log_location)) {
    GST_ELEMENT_ERROR(element, RESOURCE, OPEN_WRITE, ("Cannot write the log \"%s\".", self->log_location), (NULL));
    return GST_STATE_CHANGE_FAILURE;
  }
  GstStateChangeReturn result = GST_ELEMENT_CLASS(virtual_dac_parent_class)->change_state(element, transition);
  if (transition == GST_STATE_CHANGE_PAUSED_TO_READY) {
    recorder_write_stats(&self->device.recorder);
    GstStructure *stats = device_stats(&self->device);
    gst_element_post_message(element, gst_message_new_element(GST_OBJECT(element), stats));
  }
  return result;
}

static void virtual_dac_set_property(GObject *object, guint id, const GValue *value, GParamSpec *spec) {
  VirtualDAC *self = virtual_dac(object);
  Device *device = &self->device;
  switch (id) {
    case PROP_PPM:
      device_set_ppb(device, (gint64)(g_value_get_double(value) * 1000));
      break;
    case PROP_CLOCK_STEP:
      device->report_step = g_value_get_int(value);
      break;
    case PROP_START_DELAY:
      device->start_delay = g_value_get_int64(value);
      break;
    case PROP_MONOTONIC_RAW:
      device->clock = g_value_get_boolean(value) ? CLOCK_MONOTONIC_RAW : CLOCK_MONOTONIC;
      break;
    case PROP_CLOCK_OFFSET:
      device_set_clock_offset(device, g_value_get_int64(value));
      break;
    case PROP_SIGNAL:
      device->recorder.signal = g_value_get_int(value) ? RECORDER_CLICKS : RECORDER_RAMP;
      break;
    case PROP_SETTLE_TIME:
      device->recorder.settle_time = g_value_get_int64(value);
      break;
    case PROP_LOG_LOCATION:
      g_free(self->log_location);
      self->log_location = g_value_dup_string(value);
      break;
    case PROP_LOG_INTERVAL:
      device->recorder.log_interval = g_value_get_int64(value);
      break;
    default:
      G_OBJECT_WARN_INVALID_PROPERTY_ID(object, id, spec);
  }
}

static void virtual_dac_get_property(GObject *object, guint id, GValue *value, GParamSpec *spec) {
  VirtualDAC *self = virtual_dac(object);
  Device *device = &self->device;
  switch (id) {
    case PROP_PPM:
      g_value_set_double(value, device->ppb / 1000.0);
      break;
    case PROP_CLOCK_STEP:
      g_value_set_int(value, (gint)device->report_step);
      break;
    case PROP_START_DELAY:
      g_value_set_int64(value, device->start_delay);
      break;
    case PROP_MONOTONIC_RAW:
      g_value_set_boolean(value, device->clock == CLOCK_MONOTONIC_RAW);
      break;
    case PROP_CLOCK_OFFSET:
      g_value_set_int64(value, device->recorder.clock_offset);
      break;
    case PROP_SIGNAL:
      g_value_set_int(value, device->recorder.signal);
      break;
    case PROP_SETTLE_TIME:
      g_value_set_int64(value, device->recorder.settle_time);
      break;
    case PROP_LOG_LOCATION:
      g_value_set_string(value, self->log_location);
      break;
    case PROP_LOG_INTERVAL:
      g_value_set_int64(value, device->recorder.log_interval);
      break;
    case PROP_STATS:
      g_value_take_boxed(value, device_stats(device));
      break;
    default:
      G_OBJECT_WARN_INVALID_PROPERTY_ID(object, id, spec);
  }
}

static void virtual_dac_finalize(GObject *object) {
  device_clear(&virtual_dac(object)->device);
  g_free(virtual_dac(object)->log_location);
  G_OBJECT_CLASS(virtual_dac_parent_class)->finalize(object);
}

static void virtual_dac_init(VirtualDAC *self) { device_init(&self->device); }

static void install_properties(GObjectClass *object) {
  GParamFlags both = G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS;
  GParamSpec *specs[] = {
      [PROP_PPM] = g_param_spec_double("ppm", NULL, NULL, -100000, 100000, 0, both),
      [PROP_CLOCK_STEP] = g_param_spec_int("clock-step", NULL, NULL, 1, G_MAXINT, 1, both),
      [PROP_START_DELAY] = g_param_spec_int64("start-delay", NULL, NULL, 0, 10 * GST_SECOND, 0, both),
      [PROP_MONOTONIC_RAW] = g_param_spec_boolean("monotonic-raw", NULL, NULL, FALSE, both),
      [PROP_CLOCK_OFFSET] = g_param_spec_int64("clock-offset", NULL, NULL, G_MININT64, G_MAXINT64, 0, both),
      [PROP_SIGNAL] = g_param_spec_int("signal", NULL, NULL, 0, 1, 0, both),
      [PROP_SETTLE_TIME] = g_param_spec_int64("settle-time", NULL, NULL, 0, G_MAXINT64, 3 * GST_SECOND, both),
      [PROP_LOG_LOCATION] = g_param_spec_string("log-location", NULL, NULL, NULL, both),
      [PROP_LOG_INTERVAL] = g_param_spec_int64("log-interval", NULL, NULL, 0, G_MAXINT64, 10 * GST_MSECOND, both),
      [PROP_STATS] = g_param_spec_boxed("stats", NULL, NULL, GST_TYPE_STRUCTURE, G_PARAM_READABLE),
  };
  g_object_class_install_properties(object, G_N_ELEMENTS(specs), specs);
}

static void virtual_dac_class_init(VirtualDACClass *class) {
  GObjectClass *object = G_OBJECT_CLASS(class);
  object->set_property = virtual_dac_set_property;
  object->get_property = virtual_dac_get_property;
  object->finalize = virtual_dac_finalize;
  install_properties(object);
  GstElementClass *element = GST_ELEMENT_CLASS(class);
  element->change_state = virtual_dac_change_state;
  gst_element_class_set_static_metadata(element, "Virtual DAC", "Sink/Audio", "Records when each sample is heard",
                                        "gst-plugins-swift");
  GstCaps *caps = gst_caps_from_string(
      "audio/x-raw, format=(string){S16LE, S24LE, S24_32LE, S32LE, F32LE}, layout=interleaved, "
      "rate=(int)[8000, 384000], channels=2");
  gst_element_class_add_pad_template(element, gst_pad_template_new("sink", GST_PAD_SINK, GST_PAD_ALWAYS, caps));
  gst_caps_unref(caps);
  GstAudioSinkClass *sink = GST_AUDIO_SINK_CLASS(class);
  sink->open = sink->close = virtual_dac_open;
  sink->prepare = virtual_dac_prepare;
  sink->unprepare = virtual_dac_unprepare;
  sink->write = virtual_dac_write;
  sink->delay = virtual_dac_delay;
  sink->reset = virtual_dac_reset;
}

gboolean virtual_dac_register(GstPlugin *plugin) {
  return gst_element_register(plugin, "virtualdac", GST_RANK_NONE, virtual_dac_get_type());
}

int cvirtualdac_register(void) { return virtual_dac_register(NULL) && ramp_source_register(NULL); }
