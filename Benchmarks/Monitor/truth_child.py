"""Plays pictures that carry the time at which they left their source, and reads them at the sinks."""
import random
import sys
import threading
import time

from gi.repository import Gst

import burnt
from process import play_to_end


class Source:
    """An appsrc named `source` whose pictures carry the monotonic time, and a delay of heavy tail behind it."""

    def __init__(self, pipeline, frames, rate, is_live):
        self.pipeline, self.frames, self.rate, self.is_live = pipeline, frames, rate, is_live
        self.element = pipeline.get_by_name("source")
        self.random = random.Random(1)
        self.sent = 0
        delay = pipeline.get_by_name("delay").get_static_pad("src")
        delay.add_probe(Gst.PadProbeType.BUFFER, self._delay)

    def start(self):
        if self.is_live:
            threading.Thread(target=self._play, daemon=True).start()
        else:
            # The queue of the source holds one picture, which leaves at once.
            self.element.connect("need-data", lambda *_: self._push(self.sent * Gst.SECOND // self.rate))

    def _play(self):
        clock, base = self.pipeline.get_clock(), self.pipeline.get_base_time()
        begin = clock.get_time()
        while self.sent <= self.frames:
            due = begin + self.sent * Gst.SECOND // self.rate
            time.sleep(max(0, due - clock.get_time()) / 1e9)
            # As a camera does: the PTS is the running time of the exposure.
            self._push(clock.get_time() - base)

    def _push(self, pts):
        if self.sent >= self.frames:
            self.sent += 1
            self.element.emit("end-of-stream")
            return
        self.sent += 1
        buffer = Gst.Buffer.new_wrapped(burnt.picture(time.monotonic_ns()))
        buffer.pts, buffer.duration = pts, Gst.SECOND // self.rate
        self.element.emit("push-buffer", buffer)

    def _delay(self, *_):
        """Median 4 ms, P95 21 ms, P99 41 ms."""
        time.sleep(self.random.lognormvariate(-5.5, 1))
        return Gst.PadProbeReturn.OK


class Reader:
    """What arrives at the sink pad of a sink, and when."""

    def __init__(self, sink):
        self.arrivals = []
        sink.get_static_pad("sink").add_probe(Gst.PadProbeType.BUFFER, self._arrived)

    def _arrived(self, _, info):
        # The probe of perfmonitor runs after this one, so pictures are read at the end.
        self.arrivals.append((time.monotonic_ns(), info.get_buffer().extract_dup(0, burnt.READ_BYTES)))
        return Gst.PadProbeReturn.OK

    def result(self):
        """The ages in ns, and the number of pictures that cannot be read."""
        numbers = [(now, burnt.number(picture)) for now, picture in self.arrivals]
        ages = [now - sent for now, sent in numbers if sent is not None]
        return {"ages": ages, "unreadable": len(numbers) - len(ages)}


def play(line, frames, rate, is_live):
    """Ages at each sink: those that the pictures carry, and those of perfmonitor since the start."""
    sys.setswitchinterval(0.0002)
    pipeline = Gst.parse_launch(f"{line} perfmonitor name=monitor report=none")
    source = Source(pipeline, frames, rate, is_live)
    ends = filter(None, (pipeline.get_by_name(name) for name in ("end", "end-slow")))
    sinks = {end.get_name(): Reader(end) for end in ends}
    if is_live:
        pipeline.set_state(Gst.State.PLAYING)
        pipeline.get_state(5 * Gst.SECOND)
        source.start()
    else:
        source.start()
        pipeline.set_state(Gst.State.PLAYING)
    error = play_to_end(pipeline, 60 + 3 * frames / rate)
    pipeline.set_state(Gst.State.NULL)
    if error:
        return {"error": error}
    stats = pipeline.get_by_name("monitor").get_property("stats")
    return {name: {**reader.result(), "figures": _figures(stats, name)}
            for name, reader in sinks.items()}


def _figures(stats, name):
    """Percentiles in ns, and the coverage."""
    total = stats.get_value(name).get_value("since-start")
    fields = ("p50", "p95", "p99", "count", "coverage")
    return {field: total.get_value(f"age-{field}") for field in fields if total.has_field(f"age-{field}")}
