"""Tasks that require GStreamer. `python3 -m render.media TASK` runs one task in its own process."""

import gi

gi.require_version("Gst", "1.0")
gi.require_version("GstVideo", "1.0")
