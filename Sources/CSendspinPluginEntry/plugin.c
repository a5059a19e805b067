#include "CSendspinPluginEntry.h"

#include "../CPluginEntry/version.h"

#include <gst/gst.h>

#define PACKAGE "gst-plugins-swift"

// GStreamer compares the version of this project with its own; version.h has the reason for the major number.
GST_PLUGIN_DEFINE(GST_VERSION_MAJOR, GST_VERSION_MINOR, sendspin,
                  "Synchronised network audio with Sendspin, written in Swift", sendspin_plugin_init,
                  SWIFTVIDEO_VERSION, "LGPL", PACKAGE, "Unknown package origin")
