#!/usr/bin/python3
"""Plays a pipeline while properties change: animate.py PIPELINE "ELEMENT PROPERTY SECOND=VALUE…"…

Called by play for .launch files with "# animate:" lines, because gst-launch-1.0 cannot change properties over time.
"""

import sys

import gi

gi.require_version("Gst", "1.0")
gi.require_version("GstController", "1.0")
from gi.repository import GLib, Gst, GstController


def animate(pipeline, curve):
    """Makes a property follow straight lines between the given points."""
    element_name, property_name, *points = curve.split()
    element = pipeline.get_by_name(element_name)
    if element is None or element.find_property(property_name) is None:
        sys.exit(f"There is no property {property_name} on an element {element_name}.")
    line = GstController.InterpolationControlSource(mode=GstController.InterpolationMode.LINEAR)
    for second, value in (point.split("=") for point in points):
        line.set(int(float(second) * Gst.SECOND), float(value))
    element.add_control_binding(GstController.DirectControlBinding.new_absolute(element, property_name, line))


def show_progress(pipeline):
    _, position = pipeline.query_position(Gst.Format.TIME)
    print(f"{position / Gst.SECOND:.1f} s", end="\r", flush=True)
    return True


def play(pipeline):
    """Plays to the end, or to Ctrl-C, which ends the file properly; returns the text of an error."""
    loop = GLib.MainLoop()
    failures = []

    def heard(_, message):
        if message.type == Gst.MessageType.ERROR:
            failures.append(message.parse_error().gerror.message)
        if message.type in (Gst.MessageType.ERROR, Gst.MessageType.EOS):
            loop.quit()

    bus = pipeline.get_bus()
    bus.add_signal_watch()
    bus.connect("message", heard)
    GLib.timeout_add(200, show_progress, pipeline)
    GLib.unix_signal_add(GLib.PRIORITY_HIGH, 2, lambda: pipeline.send_event(Gst.Event.new_eos()))
    pipeline.set_state(Gst.State.PLAYING)
    loop.run()
    pipeline.set_state(Gst.State.NULL)
    print()
    return failures


if __name__ == "__main__":
    Gst.init(None)
    try:
        pipeline = Gst.parse_launch(sys.argv[1])
    except GLib.Error as error:
        sys.exit(error.message)
    for curve in sys.argv[2:]:
        animate(pipeline, curve)
    sys.exit("\n".join(play(pipeline)) or 0)
