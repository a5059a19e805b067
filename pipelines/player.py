#!/usr/bin/python3
"""Plays a launch line: player.py [--check] [--messages] [--animate="ELEMENT PROPERTY SECOND=VALUE…"]… -- WORD…

The scripts play and dashboard run this program. Unlike gst-launch-1.0, it changes properties over time and prints
element messages as sentences. An error always ends it, even before preroll or while it waits for EOS.
"""

import gc
import os
import signal
import sys
import threading
import time

ENDS = {signal.SIGINT, signal.SIGTERM}
# Under nohup, the process ignores SIGHUP from its start, and must continue to ignore it.
if signal.getsignal(signal.SIGHUP) != signal.SIG_IGN:
    ENDS.add(signal.SIGHUP)
# One thread waits for these signals with sigwait. All threads block them.
signal.pthread_sigmask(signal.SIG_BLOCK, ENDS)

import gi  # noqa: E402

gi.require_version("Gst", "1.0")
gi.require_version("GstController", "1.0")
from gi.repository import GLib, Gst, GstController  # noqa: E402

from output import say  # noqa: E402

# Text formats of element messages, by name. Other element messages are not printed.
MESSAGES = {
    "thermal-level-changed": "{temperature:.0f} degrees in {zone}: {level}{forecast}, {action}",
    "adaptive-pool-resized": "pool: {old} -> {new} buffers, {outstanding} in use ({reason})",
    "backpressurequeue-drops": "queue: {in} frames in, {out} out, {dropped} dropped, {in-flight} in flight",
}
# Seconds in which a second signal is ignored. A signal of `timeout` arrives twice: directly, and forwarded by play.py.
SAME_SIGNAL = 2


def animate(pipeline, curve):
    """Animates a property. Interpolates linearly between the given points."""
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
    """Formats an element message as a sentence. Returns an empty text if MESSAGES has no form for the message."""
    form = MESSAGES.get(structure.get_name())
    if form is None:
        return ""
    fields = {name: structure.get_value(name) for name in map(structure.nth_field_name, range(structure.n_fields()))}
    fields["forecast"] = " by forecast" if fields.get("cause") == "forecast" else ""
    # If `forced-level` is set, or if there are no sensors, the message of thermalcaps has no temperature.
    if form is MESSAGES["thermal-level-changed"] and not {"temperature", "zone"} <= fields.keys():
        form = "{level}, {action}"
    return form.format_map(fields)


def clock_text(time):
    tenths = time // (Gst.SECOND // 10)
    return f"{tenths // 36000}:{tenths // 600 % 60:02}:{tenths // 10 % 60:02}.{tenths % 10}"


class Player:
    """Plays a pipeline until EOS or an error. The first signal requests EOS, so that a muxer can complete its file."""

    def __init__(self, pipeline, prints_messages):
        self.pipeline, self.prints_messages = pipeline, prints_messages
        self.loop, self.status = GLib.MainLoop(), 0
        self.waits_for_data = self.is_buffering = False
        self.progress = ""
        self.bus = pipeline.get_bus()

    def on_message(self, _, message):
        kind = message.type
        if kind in (Gst.MessageType.ERROR, Gst.MessageType.EOS):
            self.status |= int(kind == Gst.MessageType.ERROR)
            self.loop.quit()
        if kind in (Gst.MessageType.ERROR, Gst.MessageType.WARNING, Gst.MessageType.INFO):
            show_problem(message)
        elif kind == Gst.MessageType.ELEMENT and self.prints_messages and (text := sentence(message.get_structure())):
            say(text)
        elif kind == Gst.MessageType.LATENCY:
            self.pipeline.recalculate_latency()
        elif kind == Gst.MessageType.CLOCK_LOST:
            self.pipeline.set_state(Gst.State.PAUSED)
            self.pipeline.set_state(Gst.State.PLAYING)
        elif kind == Gst.MessageType.REQUEST_STATE:
            self.pipeline.set_state(message.parse_request_state())
        elif kind == Gst.MessageType.BUFFERING and self.waits_for_data:
            is_buffering, self.is_buffering = self.is_buffering, message.parse_buffering() < 100
            if is_buffering != self.is_buffering:
                self.pipeline.set_state(Gst.State.PAUSED if self.is_buffering else Gst.State.PLAYING)

    def wait_for_signals(self):
        number = signal.sigwait(ENDS)
        say(f"EOS is requested; after {SAME_SIGNAL} s, another signal ends without it.")
        GLib.idle_add(self.request_eos)
        time.sleep(SAME_SIGNAL)
        if self.pipeline and self.pipeline.get_state(0)[0] == Gst.StateChangeReturn.ASYNC:
            say("The pipeline has not prerolled, and ends without EOS.")
            os._exit(128 + number)
        while signal.sigtimedwait(ENDS, 0):
            pass
        # A blocked element may block the main thread, so end the process here.
        os._exit(128 + signal.sigwait(ENDS))

    def request_eos(self):
        self.waits_for_data = False
        if self.is_buffering:
            self.pipeline.set_state(Gst.State.PLAYING)
        # Send EOS to the sources, because send_event of the pipeline locks its state and blocks the change to PLAYING.
        self.pipeline.iterate_sources().foreach(lambda source: source.send_event(Gst.Event.new_eos()))

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
        handler = self.bus.connect("message", self.on_message)
        threading.Thread(target=self.wait_for_signals, daemon=True).start()
        # A live pipeline must not pause for buffering.
        self.waits_for_data = self.pipeline.set_state(Gst.State.PAUSED) != Gst.StateChangeReturn.NO_PREROLL
        if self.pipeline.set_state(Gst.State.PLAYING) == Gst.StateChangeReturn.FAILURE:
            self.status = 1
            message = self.bus.pop_filtered(Gst.MessageType.ERROR)
            show_problem(message) if message else say("The pipeline cannot be set to PLAYING.", sys.stderr)
        else:
            if not self.prints_messages:
                GLib.timeout_add(200, self.show_progress)
            self.loop.run()
        self.pipeline.set_state(Gst.State.NULL)
        if self.progress:
            say(self.progress)
        self.bus.remove_signal_watch()
        self.bus.disconnect(handler)
        # The signal thread keeps a reference to this object, so release the pipeline explicitly.
        self.pipeline = self.bus = None
        return self.status


def show_problem(message):
    kind = message.type.first_value_nick
    error, debug = getattr(message, f"parse_{kind}")()
    source = message.src.get_path_string() if message.src else "pipeline"
    say(f"{kind.upper()}: {source}: {error.message}", sys.stderr)
    if debug:
        say(debug, sys.stderr)


def parsed(words):
    try:
        element = Gst.parse_launchv(words)
    except (GLib.Error, UnicodeEncodeError) as error:
        sys.exit(getattr(error, "message", str(error)))
    if isinstance(element, Gst.Pipeline):
        return element
    # The launch line has only one element.
    pipeline = Gst.Pipeline.new(None)
    pipeline.add(element)
    return pipeline


def main(arguments):
    if "--" not in arguments:
        sys.exit("usage: " + __doc__.splitlines()[0].partition(": ")[2])
    Gst.init(None)
    end = arguments.index("--")
    options, pipeline = arguments[:end], parsed(arguments[end + 1:])
    if "--check" in options:
        return 0
    for option in options:
        if option.startswith("--animate="):
            animate(pipeline, option.removeprefix("--animate="))
    status = Player(pipeline, "--messages" in options).play()
    # Free the pipeline and deinitialize GStreamer, so that tracers write their results.
    del pipeline
    gc.collect()
    Gst.deinit()
    return status


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
