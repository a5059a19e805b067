"""Plays pictures that carry the time at which they left the source, and reads these times at the sinks."""
import random
import sys
import threading
import time

from gi.repository import Gst

import burnt
from process import monitor, play_to_end


class Source:
    """Pushes pictures that carry the monotonic time into the appsrc `source`. Then delays each by a random time."""

    def __init__(self, pipeline, frames, rate, is_live):
        self.pipeline, self.frames, self.rate, self.is_live = pipeline, frames, rate, is_live
        self.element = pipeline.get_by_name("source")
        self.random = random.Random(1)
        self.sent = 0
        self.times = []
        delay = pipeline.get_by_name("delay").get_static_pad("src")
        delay.add_probe(Gst.PadProbeType.BUFFER, self._delay)

    def start(self):
        if self.is_live:
            threading.Thread(target=self._play, daemon=True).start()
        else:
            # The appsrc holds at most one picture, and pushes it immediately.
            self.element.connect("need-data", lambda *_: self._push(self.sent * Gst.SECOND // self.rate))

    def _play(self):
        clock, base = self.pipeline.get_clock(), self.pipeline.get_base_time()
        begin = clock.get_time()
        while self.sent <= self.frames:
            due = begin + self.sent * Gst.SECOND // self.rate
            time.sleep(max(0, due - clock.get_time()) / 1e9)
            # The PTS is the running time at which the picture is made, as with a camera.
            self._push(clock.get_time() - base)

    def _push(self, pts):
        if self.sent >= self.frames:
            self.sent += 1
            self.element.emit("end-of-stream")
            return
        self.sent += 1
        self.times.append(time.monotonic_ns())
        buffer = Gst.Buffer.new_wrapped(burnt.picture(self.times[-1]))
        buffer.pts, buffer.duration = pts, Gst.SECOND // self.rate
        self.element.emit("push-buffer", buffer)

    def _delay(self, *_):
        """Delays a buffer by a random time with a median of 4 ms, a P95 of 21 ms and a P99 of 41 ms."""
        time.sleep(self.random.lognormvariate(-5.5, 1))
        return Gst.PadProbeReturn.OK


class Reader:
    """Records the pictures that arrive at a sink pad, with their arrival times."""

    def __init__(self, sink):
        self.arrivals = []
        _watch(sink, "sink", self._arrived)

    def _arrived(self, now, buffer):
        # The probe of perfmonitor runs after this probe, which must be short. `result` decodes the pictures later.
        self.arrivals.append((now, buffer.extract_dup(0, burnt.READ_BYTES)))

    def result(self):
        """Returns the ages in ns, and the number of unreadable pictures."""
        numbers = [(now, burnt.number(picture)) for now, picture in self.arrivals]
        ages = [now - sent for now, sent in numbers if sent is not None]
        return {"ages": ages, "unreadable": len(numbers) - len(ages)}


class EncodedReader:
    """Finds the frames of `encoder` in the output of a muxer by their sizes. The encoder must not reorder frames."""

    def __init__(self, sink, pipeline, source):
        self.source, self.sizes, self.arrivals = source, [], []
        _watch(pipeline.get_by_name("encoder"), "src", lambda _, buffer: self.sizes.append(buffer.get_size()))
        _watch(sink, "sink", self._arrived)

    def _arrived(self, now, buffer):
        place = len(self.arrivals)
        if place < len(self.sizes) and buffer.get_size() == self.sizes[place]:
            self.arrivals.append(now)

    def result(self):
        return {"ages": [now - sent for now, sent in zip(self.arrivals, self.source.times)], "unreadable": 0}


class ReceivedReader:
    """Measures the time since the udpsrc `receiver` received the first packet of each frame."""

    def __init__(self, sink, pipeline):
        self.packets, self.arrivals = {}, []
        _watch(pipeline.get_by_name("receiver"), "src", self._received)
        _watch(sink, "sink", lambda now, _: self.arrivals.append(now))

    def _received(self, now, buffer):
        # Bytes 4 to 7 of an RTP packet are the timestamp. All packets of a frame have the same timestamp.
        self.packets.setdefault(buffer.extract_dup(4, 4), now)

    def result(self):
        return {"ages": [now - first for now, first in zip(self.arrivals, self.packets.values())], "unreadable": 0}


def _watch(element, pad, body):
    def passes(_, info):
        body(time.monotonic_ns(), info.get_buffer())
        return Gst.PadProbeReturn.OK

    element.get_static_pad(pad).add_probe(Gst.PadProbeType.BUFFER, passes)


def play(line, frames, rate, is_live, reads):
    """Returns the ages at each sink, measured with the method `reads`, and the figures of perfmonitor."""
    sys.setswitchinterval(0.0002)
    pipeline = Gst.parse_launch(f"{line} {monitor('name=monitor report=none')}")
    source = Source(pipeline, frames, rate, is_live)
    ends = filter(None, (pipeline.get_by_name(name) for name in ("end", "end-slow")))
    makers = {"picture": Reader, "encoded": lambda end: EncodedReader(end, pipeline, source),
              "received": lambda end: ReceivedReader(end, pipeline)}
    sinks = {end.get_name(): makers[reads](end) for end in ends}
    if is_live:
        # set_state() returns when the pipeline has its clock and its base time.
        pipeline.set_state(Gst.State.PLAYING)
        source.start()
    else:
        source.start()
        pipeline.set_state(Gst.State.PLAYING)
    # udpsrc receives no EOS, so wait for all frames instead.
    error = _wait(pipeline, sinks, frames) if "udpsrc" in line else play_to_end(pipeline, 60 + 3 * frames / rate)
    pipeline.set_state(Gst.State.NULL)
    if error:
        return {"error": error}
    stats = pipeline.get_by_name("monitor").get_property("stats")
    return {name: {**reader.result(), "figures": _figures(stats, name)} for name, reader in sinks.items()}


def _wait(pipeline, sinks, frames):
    """Waits until all frames have arrived, or no frame has arrived for 4 s. Returns the text of an error, or None."""
    count, quiet = 0, 0
    while count < frames and quiet < 20:
        message = pipeline.get_bus().timed_pop_filtered(Gst.SECOND // 5, Gst.MessageType.ERROR)
        if message:
            return message.parse_error()[0].message
        before, count = count, min(len(reader.arrivals) for reader in sinks.values())
        quiet = quiet + 1 if count == before else 0
    return None


def _figures(stats, name):
    """Returns the percentiles in ns, the count and the coverage at the sink `name`."""
    if not stats.has_field(name):
        return {}
    total = stats.get_value(name).get_value("since-start")
    fields = ("p50", "p95", "p99", "count", "coverage")
    return {field: total.get_value(f"age-{field}") for field in fields if total.has_field(f"age-{field}")}
