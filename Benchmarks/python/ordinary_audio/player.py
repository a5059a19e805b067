"""Plays one row with or without the element in its own process, and prints the figures as one JSON object."""
import gc
import hashlib
import json
import os
import sys
import time

import gi

gi.require_version("Gst", "1.0")
from gi.repository import GLib, Gst

import applications
from actions import Actions

LONGEST = 25


class Sink:
    """Counts the buffers that arrive at one sink.

    `late` is the running time of the arrival minus the running time of the PTS. `sendspinsync` moves the PTS if the
    device starts late.
    """

    def __init__(self, element, pipeline):
        self.element, self.pipeline = element, pipeline
        self.kind = "video" if "video" in element.get_factory().get_metadata("klass").lower() else ""
        self.buffers = self.bytes = self.discontinuities = 0
        self.hash = hashlib.md5()
        self.segment, self.late = None, []
        self.pad = element.get_static_pad("sink")
        self.probe = self.pad.add_probe(
            Gst.PadProbeType.BUFFER | Gst.PadProbeType.BUFFER_LIST | Gst.PadProbeType.EVENT_DOWNSTREAM, self._saw)

    def _saw(self, _, info):
        if info.type & Gst.PadProbeType.EVENT_DOWNSTREAM:
            event = info.get_event()
            if event.type == Gst.EventType.SEGMENT:
                self.segment = event.parse_segment().copy()
            return Gst.PadProbeReturn.OK
        many = info.type & Gst.PadProbeType.BUFFER_LIST
        buffers = info.get_buffer_list() if many else None
        for buffer in [buffers.get(at) for at in range(buffers.length())] if many else [info.get_buffer()]:
            self._count(buffer)
        return Gst.PadProbeReturn.OK

    def _count(self, buffer):
        self.buffers += 1
        self.bytes += buffer.get_size()
        self.discontinuities += bool(buffer.get_flags() & Gst.BufferFlags.DISCONT)
        found, place = buffer.map(Gst.MapFlags.READ)
        if found:
            self.hash.update(place.data)
            buffer.unmap(place)
        clock = self.pipeline.get_clock()
        if clock and self.segment and self.segment.format == Gst.Format.TIME and buffer.pts != Gst.CLOCK_TIME_NONE:
            due = self.segment.to_running_time(Gst.Format.TIME, buffer.pts)
            if due != Gst.CLOCK_TIME_NONE:
                now = clock.get_time() - self.pipeline.get_base_time()
                self.late.append((now - due) / 1e6)

    def forget(self):
        """Drops all references, so that the leaks tracer reports only leaks."""
        self.pad.remove_probe(self.probe)
        self.pad = self.element = self.pipeline = None

    def figures(self):
        late = sorted(self.late)
        return {"sink": self.element.get_name().rstrip("0123456789"), "buffers": self.buffers, "bytes": self.bytes,
                "discont": self.discontinuities, "hash": self.hash.hexdigest(),
                "late": round(late[len(late) // 2], 1) if late else None}


class Player:
    """A pipeline from its start to EOS, an error, or the time limit."""

    def __init__(self, pipeline, actions, stops=True):
        self.pipeline, self.sinks, self.stats = pipeline, [], []
        self.errors, self.warnings, self.result = [], [], "hangs"
        self.latency = None
        self.loop = GLib.MainLoop()
        self.actions = Actions(self, actions)
        self.handler = pipeline.connect("deep-element-added", lambda _, __, element: self._add(element))
        iterator = pipeline.iterate_recurse()
        while (step := iterator.next())[0] == Gst.IteratorResult.OK:
            self._add(step[1])

    def _add(self, element):
        is_bin = isinstance(element, Gst.Bin)
        known = any(sink.element == element for sink in self.sinks)
        if element.flags & Gst.ElementFlags.SINK and not is_bin and not known and element.get_static_pad("sink"):
            self.sinks.append(Sink(element, self.pipeline))

    def begin(self):
        bus = self.pipeline.get_bus()
        bus.add_signal_watch()
        self.watch = bus.connect("message", self._message)
        self.started = time.monotonic()
        self.actions.prepare()
        if self.pipeline.set_state(Gst.State.PLAYING) == Gst.StateChangeReturn.FAILURE:
            GLib.timeout_add(300, self.end, "error")
        self.actions.begin()
        GLib.timeout_add(LONGEST * 1000, self.end, "hangs")
        GLib.timeout_add(400, self._ask_latency)

    def _ask_latency(self):
        query = Gst.Query.new_latency()
        if self.pipeline.query(query):
            live, least, _ = query.parse_latency()
            self.latency = [live, round(least / 1e6, 1)]
        return False

    def end(self, result):
        if self.loop is not None and self.result == "hangs":
            self.result, self.seconds = result, time.monotonic() - self.started
            for sink in self.sinks:
                if sink.element.get_factory().get_name() == "virtualdac":
                    self.stats.append(numbers(sink.element.get_property("stats")))
            self.ended()
        return False

    def ended(self):
        self.loop.quit()

    def _message(self, _, message):
        kind = message.type
        if kind == Gst.MessageType.EOS and message.src == self.pipeline:
            self.end("eos")
        elif kind == Gst.MessageType.SEGMENT_DONE and self.actions.ends_at_segment:
            self.end("segment-done")
        elif kind == Gst.MessageType.ERROR:
            error, _ = message.parse_error()
            self.errors.append(f"{message.src.get_name()}: {error.message}")
            self.end("error")
        elif kind == Gst.MessageType.WARNING:
            self.warnings.append(message.parse_warning()[0].message)
        elif kind == Gst.MessageType.LATENCY:
            self.pipeline.recalculate_latency()

    def figures(self):
        return {"result": self.result, "seconds": round(self.seconds, 2), "errors": self.errors, "latency": self.latency,
                "warnings": self.warnings, "stats": self.stats,
                "sinks": sorted((sink.figures() for sink in self.sinks), key=lambda one: one["sink"])}

    def stop(self):
        self.pipeline.set_state(Gst.State.NULL)
        bus = self.pipeline.get_bus()
        bus.remove_signal_watch()
        bus.disconnect(self.watch)
        self.pipeline.disconnect(self.handler)
        for sink in self.sinks:
            sink.forget()
        self.pipeline = self.actions = self.ended = None


def numbers(structure):
    return {structure.nth_field_name(at): structure.get_value(structure.nth_field_name(at))
            for at in range(structure.n_fields())}


def play(row, element, places):
    """Plays a row in this process, prints the figures, and ends the process."""
    Gst.init(None)
    players = applications.players(row, element, places)
    loop = GLib.MainLoop()
    left = [len(players)]

    def ended():
        left[0] -= 1
        if not left[0]:
            loop.quit()

    for player in players:
        player.ended = ended
        player.begin()
    loop.run()
    figures = [player.figures() for player in players]
    print(json.dumps(figures), flush=True)
    for player in players:
        player.stop()
    print("stopped", flush=True)
    players.clear()
    del player
    gc.collect()
    # Gst.deinit() makes the leaks tracer log all live objects.
    Gst.deinit()
    sys.stdout.flush()
    os._exit(0)
