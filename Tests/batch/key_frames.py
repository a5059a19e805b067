"""Prints the numbers of the key frames of a Matroska file: key_frames.py FILE."""

import sys

import gi

gi.require_version("Gst", "1.0")
from gi.repository import Gst  # noqa: E402

Gst.init(None)
pipeline = Gst.parse_launch(f'filesrc location="{sys.argv[1]}" ! matroskademux ! appsink name=sink sync=false')
pipeline.set_state(Gst.State.PLAYING)
sink, number = pipeline.get_by_name("sink"), 0
while (sample := sink.emit("pull-sample")) is not None:
    if not sample.get_buffer().has_flags(Gst.BufferFlags.DELTA_UNIT):
        print(number)
    number += 1
pipeline.set_state(Gst.State.NULL)
