// Makes `virtualdac` of Tests/CVirtualDAC a plugin of its own; see build-virtualdac.
#include <gst/gst.h>

#include "elements.h"

#define PACKAGE "gst-plugins-swift"

static gboolean start(GstPlugin *plugin) { return virtual_dac_register(plugin) && ramp_source_register(plugin); }

GST_PLUGIN_DEFINE(GST_VERSION_MAJOR, GST_VERSION_MINOR, virtualdac, "Virtual DAC for tests", start, "1.0", "LGPL",
                  "gst-plugins-swift", "https://gstreamer.freedesktop.org")
