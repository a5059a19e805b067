#pragma once

// GStreamer's headers are not included: in a second module they would hide the declarations of CGStreamer.
struct _GstPlugin;

/// Implemented in Swift: Sources/SendspinPlugin/Plugin.swift.
int sendspin_plugin_init(struct _GstPlugin *plugin);
