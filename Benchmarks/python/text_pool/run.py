"""One run: pages, a pool, a queue, and a model that reads. Prints its figures as JSON.

The source requests buffers 30 times a second and skips frames while it waits for one, as a camera does. The frames wait in
a queue without a limit, so that only the pool limits how many are in flight.
"""

from __future__ import annotations

import json
import sys

import gi

gi.require_version("Gst", "1.0")
from gi.repository import GLib, Gst

from element import InferenceElement
from model_host import ModelHost, resident_memory
from models import Kind, Picture
from pages import HEIGHT, RATE, STRIDE, PageSource
from sources import HEIGHT as SMALL_HEIGHT, WIDTH as SMALL_WIDTH

# All lines of a screen are read.
MOST_LINES = 4
INTERVAL_MS = 50
FAST = 5_000_000
# The end of the idle time, in which its memory is measured, in samples.
LAST_SAMPLES = 40
FRAME_MB = STRIDE * HEIGHT / 1e6


def percentile(values: list[float], share: float) -> float:
    """The smallest value that is at least as large as `share` of all values."""
    return sorted(values)[min(len(values) - 1, int(len(values) * share))]


class Times:
    """Times of the inferences, in seconds. The element adds one for each frame."""

    def __init__(self) -> None:
        self.all: list[float] = []

    def add(self, took: float, _result: dict[str, object]) -> None:
        self.all.append(took)


class Run:
    def __init__(self, pool: str, seconds: float, idle: float, seed: int, model: Kind) -> None:
        self.loop, self.failure = GLib.MainLoop(), ""
        self.times, self.is_adaptive = Times(), pool.startswith("adaptivepool")
        # The source has a pool of its own if no adaptivepool offers one.
        self.fixed = 0 if self.is_adaptive else int(pool)
        sample = Picture(bytes(SMALL_WIDTH * SMALL_HEIGHT * 3), SMALL_WIDTH, SMALL_HEIGHT)
        host = ModelHost(model, sample, print, self.fail)
        host.want(True)
        host.wait()
        if self.failure:
            sys.exit(self.failure)
        self.pipeline = Gst.parse_launch(
            f"{pool if self.is_adaptive else 'identity'} name=pool ! queue name=waiting max-size-buffers=0 "
            "max-size-bytes=0 max-size-time=0 ! videoscale ! "
            f"video/x-raw,width={SMALL_WIDTH},height={SMALL_HEIGHT} ! videoconvert name=before "
            "fakesink name=after enable-last-sample=false sync=false perfmonitor name=monitor report=none")
        self.source = PageSource(seed, seconds * RATE, self.fixed)
        model = InferenceElement("text", host, self.times, lambda rate: False)
        for element in (self.source, model):
            self.pipeline.add(element)
        self.pool, self.queue, self.monitor = map(self.pipeline.get_by_name, ("pool", "waiting", "monitor"))
        self.source.link(self.pool)
        self.pipeline.get_by_name("before").link(model)
        model.link(self.pipeline.get_by_name("after"))
        bus = self.pipeline.get_bus()
        bus.add_signal_watch()
        bus.connect("message::error", lambda _, message: self.fail(message.parse_error()[0].message))
        # Each sample: buffers in flight, buffers of the pool, and resident memory above that of the start in MB.
        self.samples: list[tuple[int, int, float]] = []
        self.length, self.base = seconds + idle, 0.0

    def fail(self, text: str) -> None:
        self.failure = text
        self.loop.quit()

    def sample(self) -> bool:
        # Recognition has a smaller copy of the frame, so buffers in flight are those in the queue.
        in_flight = self.queue.get_property("current-level-buffers")
        largest = max([in_flight + 1] + [size for _, size, _ in self.samples[-1:]])
        # A pool of core keeps every buffer. One without a limit has as many as were ever in flight, and one to fill.
        size = self.pool.get_property("current-buffers") if self.is_adaptive else self.fixed or largest
        self.samples.append((in_flight, size, resident_memory() / 1e6 - self.base))
        return True

    def play(self) -> dict[str, object]:
        self.base = resident_memory() / 1e6
        self.pipeline.set_state(Gst.State.PLAYING)
        GLib.timeout_add(INTERVAL_MS, self.sample)
        GLib.timeout_add(round(self.length * 1000), self.loop.quit)
        self.loop.run()
        figures = self.figures() if not self.failure else {}
        self.pipeline.set_state(Gst.State.NULL)
        if self.failure:
            sys.exit(self.failure)
        return figures

    def figures(self) -> dict[str, object]:
        frames, acquires = self.source.frames, self.source.acquire_times
        stalled = self.pool.get_property("stats").get_value("stalls") if self.is_adaptive else self.source.stalled
        sizes = [size for _, size, _ in self.samples]
        resident = [memory for _, _, memory in self.samples]
        stats = self.monitor.get_property("stats")
        work = [time * 1000 for time in self.times.all]
        return {
            "stalled": stalled / frames, "missed": self.source.missed / (frames + self.source.missed),
            "fast": sum(time < FAST for time in acquires) / len(acquires),
            "mean": sum(sizes) / len(sizes) * FRAME_MB, "peak": max(sizes) * FRAME_MB,
            "idle": sum(sizes[-LAST_SAMPLES:]) / len(sizes[-LAST_SAMPLES:]) * FRAME_MB,
            "resident": sum(resident) / len(resident), "resident-peak": max(resident),
            "resident-idle": sum(resident[-LAST_SAMPLES:]) / len(resident[-LAST_SAMPLES:]),
            # The source holds one more, until its time has come, if the pool has one.
            "used": sum(min(in_flight + 1, size) for in_flight, size, _ in self.samples) / sum(sizes),
            "in-flight": max(in_flight for in_flight, _, _ in self.samples),
            "work-p5": percentile(work, 0.05), "work-p50": percentile(work, 0.5), "work-p95": percentile(work, 0.95),
            "frames": frames, "verdict": stats.get_string("verdict") if stats.has_field("verdict") else "",
        }


if __name__ == "__main__":
    # Threads of the pipeline take the lock of Python from each other after 0.1 ms. After 5 ms, the default, waiting for the
    # lock would count as waiting for a buffer.
    sys.setswitchinterval(1e-4)
    pool, seconds, idle, seed, reduction = sys.argv[1:]
    model = Kind("onnx_models", "Text", "text", (MOST_LINES, int(reduction)))
    print(json.dumps(Run(pool, float(seconds), float(idle), int(seed), model).play()))
