#!/usr/bin/python3
"""Plays a pipeline while properties change: animate.py "ELEMENT PROPERTY SECOND=VALUE…"… -- WORD…

Called by play for .launch files with "# animate:" lines, because gst-launch-1.0 cannot change properties over time.
"""

import signal
import sys

import gi

gi.require_version("Gst", "1.0")
gi.require_version("GstController", "1.0")
from gi.repository import GLib, Gst, GstController


def animate(pipeline, curve):
    """Makes a property follow straight lines between the given points."""
    try:
        element_name, property_name, *texts = curve.split()
        points = [tuple(map(float, text.split("="))) for text in texts]
        times = [int(second * Gst.SECOND) for second, _ in points]
    except (ValueError, OverflowError):
        sys.exit(f'"{curve}" is not ELEMENT PROPERTY SECOND=VALUE….')
    element = pipeline.get_by_name(element_name)
    if element is None or element.find_property(property_name) is None:
        sys.exit(f"There is no property {property_name} on an element {element_name}.")
    line = GstController.InterpolationControlSource(mode=GstController.InterpolationMode.LINEAR)
    if not all(line.set(time, value) for time, (_, value) in zip(times, points)):
        sys.exit(f'"{curve}" has a time that is not after the start.')
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
    for number in (signal.SIGHUP, signal.SIGINT, signal.SIGTERM):
        GLib.unix_signal_add(GLib.PRIORITY_HIGH, number, lambda: pipeline.send_event(Gst.Event.new_eos()))
    pipeline.set_state(Gst.State.PLAYING)
    loop.run()
    pipeline.set_state(Gst.State.NULL)
    print()
    return failures


if __name__ == "__main__":
    Gst.init(None)
    try:
        end = sys.argv.index("--")
        pipeline = Gst.parse_launchv(sys.argv[end + 1:])
    except ValueError:
        sys.exit("usage: " + __doc__.splitlines()[0].partition(": ")[2])
    except GLib.Error as error:
        sys.exit(error.message)
    for curve in sys.argv[1:end]:
        animate(pipeline, curve)
    sys.exit("\n".join(play(pipeline)) or 0)
