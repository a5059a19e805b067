#include "CSendspinPluginEntry.h"

#include "../CPluginEntry/version.h"

#include <gst/gst.h>

#define PACKAGE "gst-plugins-swift"

// GStreamer defines its version numbers in parentheses; BARE removes them.
#define BARE_(number) number
#define BARE(number) BARE_ number
#define TEXT_(number) #number
#define TEXT(number) TEXT_(number)
#define SERIES TEXT(BARE(GST_VERSION_MAJOR)) "." TEXT(BARE(GST_VERSION_MINOR)) ".0"

// The plugin version is that of the GStreamer series for which the plugin is built, as in GStreamer's own plugins:
// "gst-inspect-1.0 --exists" does not find elements of a plugin with a lower version. The version of this project is
// part of the package name, which gst-inspect-1.0 prints.
GST_PLUGIN_DEFINE(GST_VERSION_MAJOR, GST_VERSION_MINOR, sendspin,
                  "Synchronised network audio with Sendspin, written in Swift", sendspin_plugin_init,
                  SERIES, "LGPL", PACKAGE " " SWIFTVIDEO_VERSION, "Unknown package origin")
