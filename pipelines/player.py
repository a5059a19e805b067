#!/usr/bin/python3
"""Plays a launch line: player.py [--check] [--messages] [--animate="ELEMENT PROPERTY SECOND=VALUE…"]… -- WORD…

Called by play and dashboard. Unlike gst-launch-1.0, it changes properties over time, prints element messages as
sentences, and ends after an error also if a signal has requested EOS, or if the pipeline has never prerolled.
"""

import signal
import sys

import gi

gi.require_version("Gst", "1.0")
gi.require_version("GstController", "1.0")
from gi.repository import GLib, Gst, GstController

from output import say

# Element messages by name; other messages are not printed.
MESSAGES = {
    "thermal-level-changed": "{temperature:.0f} degrees in {zone}: {level}{forecast}, {action}",
    "adaptive-pool-resized": "pool: {old} -> {new} buffers, {outstanding} in use ({reason})",
    "backpressurequeue-drops": "queue: {in} frames in, {out} out, {dropped} dropped, {in-flight} in flight",
}
ENDS = (signal.SIGHUP, signal.SIGINT, signal.SIGTERM)


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


def sentence(structure):
    """An element message as a sentence; None for those that are not printed."""
    form = MESSAGES.get(structure.get_name())
    fields = {name: structure.get_value(name) for name in map(structure.nth_field_name, range(structure.n_fields()))} \
        if form else {}
    return form and form.format_map({**fields, "forecast": " by forecast" if fields.get("cause") == "forecast" else ""})


def clock_text(time):
    tenths = time // (Gst.SECOND // 10)
    return f"{tenths // 36000}:{tenths // 600 % 60:02}:{tenths // 10 % 60:02}.{tenths % 10}"


class Player:
    """Plays to the end, to an error, or to the second signal; the first one requests EOS, which completes a file."""

    def __init__(self, pipeline, prints_messages):
        self.pipeline, self.prints_messages = pipeline, prints_messages
        self.loop, self.status, self.signals = GLib.MainLoop(), 0, 0
        self.is_live = self.is_buffering = False
        self.progress = ""
        self.bus = pipeline.get_bus()

    def heard(self, _, message):
        kind = message.type
        if kind in (Gst.MessageType.ERROR, Gst.MessageType.WARNING, Gst.MessageType.INFO):
            self.show_problem(message)
        if kind == Gst.MessageType.ELEMENT and self.prints_messages:
            text = sentence(message.get_structure())
            if text:
                say(text)
        if kind == Gst.MessageType.LATENCY:
            self.pipeline.recalculate_latency()
        if kind == Gst.MessageType.CLOCK_LOST:
            self.pipeline.set_state(Gst.State.PAUSED)
            self.pipeline.set_state(Gst.State.PLAYING)
        if kind == Gst.MessageType.REQUEST_STATE:
            self.pipeline.set_state(message.parse_request_state())
        if kind == Gst.MessageType.BUFFERING and not self.is_live:
            is_buffering, self.is_buffering = self.is_buffering, message.parse_buffering() < 100
            if is_buffering != self.is_buffering:
                self.pipeline.set_state(Gst.State.PAUSED if self.is_buffering else Gst.State.PLAYING)
        if kind in (Gst.MessageType.ERROR, Gst.MessageType.EOS):
            self.loop.quit()

    def show_problem(self, message):
        kind = message.type.first_value_nick
        error, debug = getattr(message, f"parse_{kind}")()
        if kind == "error":
            self.status = 1
        say(f"{kind.upper()}: {message.src.get_path_string()}: {error.message}", sys.stderr)
        if debug:
            say(debug, sys.stderr)

    def end(self, number):
        self.signals += 1
        if self.signals == 1:
            say("EOS is requested; another signal ends without it.")
            self.pipeline.send_event(Gst.Event.new_eos())
        else:
            self.status = 128 + number
            self.loop.quit()
        return True

    def show_progress(self):
        known, position = self.pipeline.query_position(Gst.Format.TIME)
        if known:
            _, duration = self.pipeline.query_duration(Gst.Format.TIME)
            self.progress = clock_text(position) + (f" / {clock_text(duration)}" if duration > 0 else "")
            say(self.progress, end="\r")
        return True

    def play(self):
        """Returns the exit status."""
        self.bus.add_signal_watch()
        self.bus.connect("message", self.heard)
        for number in ENDS:
            # Under nohup, SIGHUP is ignored.
            if signal.getsignal(number) != signal.SIG_IGN:
                GLib.unix_signal_add(GLib.PRIORITY_HIGH, number, self.end, number)
        # The caller may have blocked them until there is a handler.
        signal.pthread_sigmask(signal.SIG_UNBLOCK, (*ENDS, signal.SIGQUIT))
        change = self.pipeline.set_state(Gst.State.PLAYING)
        self.is_live = change == Gst.StateChangeReturn.NO_PREROLL
        if change == Gst.StateChangeReturn.FAILURE:
            message = self.bus.pop_filtered(Gst.MessageType.ERROR)
            self.status = 1
            if message:
                self.show_problem(message)
            else:
                say("The pipeline cannot be set to PLAYING.", sys.stderr)
        else:
            if not self.prints_messages:
                GLib.timeout_add(200, self.show_progress)
            self.loop.run()
        self.pipeline.set_state(Gst.State.NULL)
        if self.progress:
            say(self.progress)
        return self.status


def main(arguments):
    Gst.init(None)
    try:
        end = arguments.index("--")
        pipeline = Gst.parse_launchv(arguments[end + 1:])
    except ValueError:
        sys.exit("usage: " + __doc__.splitlines()[0].partition(": ")[2])
    except GLib.Error as error:
        sys.exit(error.message)
    options = arguments[:end]
    if "--check" in options:
        return 0
    for option in options:
        if option.startswith("--animate="):
            animate(pipeline, option.removeprefix("--animate="))
    return Player(pipeline, "--messages" in options).play()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
