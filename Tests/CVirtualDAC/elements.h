#pragma once

#include <gst/gst.h>

/// Registers `virtualdac` in a plugin, or in none.
gboolean virtual_dac_register(GstPlugin *plugin);
/// Registers `rampsrc` in a plugin, or in none.
gboolean ramp_source_register(GstPlugin *plugin);
