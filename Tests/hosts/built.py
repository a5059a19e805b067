"""Adds the plugin of plugin-build/build to GStreamer's search path, unless GST_PLUGIN_PATH is set."""
import os
import sys

import gi

gi.require_version("Gst", "1.0")
from gi.repository import Gst

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
os.environ.setdefault("GST_PLUGIN_PATH", os.path.join(TOP, "out", "plugin"))
os.environ.setdefault("GST_PRESET_PATH", os.path.join(TOP, "presets"))
Gst.init(None)


def need(*elements):
    """Ends the program unless GStreamer has these elements."""
    for element in elements:
        if not Gst.ElementFactory.find(element):
            sys.exit(f"GStreamer has no element {element}; build the plugin with plugin-build/build.")
