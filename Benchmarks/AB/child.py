"""Plays one run in a process of its own, and returns its figures."""
import time

import gi

gi.require_version("Gst", "1.0")
from gi.repository import Gst

from heat import HeatedMachine, HeatModel
from native import Counter, Probes, path
from usage import Burner, Usage, memory_now, peak, peak_memory

MONITOR = "perfmonitor name=monitor report=none"
# Interval of the samples, in ns.
POLL = 20_000_000
# The receiver has everything when nothing arrives for this time, in s.
SILENCE = 0.3


class Run:
    """A pipeline with elements named `source`, `encoder`, `end`, and perhaps `receiver`."""

    def __init__(self, spec: dict) -> None:
        self.spec = spec
        self.counter, probes = Counter(), Probes(path(spec["libraries"], "probes"))
        self.pipeline = Gst.parse_launch(f"{spec['line']} {MONITOR} {spec.get('monitor', '')}")
        receiver, end = self._pad("receiver", "src"), self._pad("end", "sink")
        if receiver:
            probes.restamp(receiver)
        self.sent, self.encoded = probes.record(self._pad("source", "src")), probes.record(self._pad("encoder", "src"))
        self.received = probes.record(end)
        slow = spec.get("slow")
        if slow:
            place = self._pad("consumer", "sink")
            probes.slow_down(place, *(round(slow[name] * Gst.SECOND) for name in ("period", "span", "pause")))
        self.alerts: list[str] = []
        # Time in s, resident memory in MB and CPU time in s, once a second.
        self.curve: list[tuple[float, float, float]] = []
        self.samples: list[Usage] = []
        # Number of frames that had been sent at the first sample, and frames and bytes that had been encoded.
        self.first, self.before = 0, (0, 0)
        self.machine = self._heated(spec.get("heat"))
        self.burner = Burner(spec["burn"]) if spec.get("burn") else None

    def _pad(self, name: str, pad: str):
        element = self.pipeline.get_by_name(name)
        return element.get_static_pad(pad) if element else None

    def _heated(self, heat: dict | None) -> HeatedMachine | None:
        if not heat:
            return None
        return HeatedMachine(heat["folder"], HeatModel(**heat["model"]), heat["load"], heat["minutes-per-second"])

    def play(self) -> dict:
        """Plays until all frames have arrived, or no more come."""
        if not self.spec["warm-frames"]:
            self._sample()
        self.pipeline.set_state(Gst.State.PLAYING)
        frames, warm = self.spec["frames"], self.spec["warm-frames"]
        error, limit = None, time.monotonic() + self.spec["limit"]
        last_count, changed = 0, time.monotonic()
        while not error and time.monotonic() < limit:
            error = self._wait()
            if len(self.sent) < warm:
                continue
            if not self.samples:
                self.first, self.before = len(self.sent), (len(self.encoded), self.encoded.bytes)
            self._sample()
            count = len(self.received)
            if count != last_count or len(self.sent) < frames:
                last_count, changed = count, time.monotonic()
            if self.machine and self.machine.is_done:
                break
            if len(self.sent) >= frames and (count >= len(self.sent) or time.monotonic() - changed > SILENCE):
                break
        else:
            error = error or f"the run took longer than {self.spec['limit']} s"
        return {"error": error} if error else self._figures()

    def _wait(self) -> str | None:
        """Waits for a message until the next sample; the text of an error, or None."""
        message = self.pipeline.get_bus().timed_pop_filtered(POLL, Gst.MessageType.ERROR | Gst.MessageType.ELEMENT)
        if message and message.type == Gst.MessageType.ERROR:
            return f"{message.src.get_name()}: {message.parse_error()[0].message}"
        if message and message.get_structure().get_name() == "performance-alert":
            self.alerts.append(message.get_structure().to_string())
        return None

    def _sample(self) -> None:
        if self.burner:
            self.burner.catch_up()
        now = Usage.now(self.counter.requests())
        if self.machine and self.samples:
            self.machine.run(now.time - self.samples[-1].time, now.cpu - self.samples[-1].cpu)
        self.samples.append(now)
        elapsed = now.time - self.samples[0].time
        if self.spec.get("curve") and elapsed >= len(self.curve):
            self.curve.append((round(elapsed, 1), round(memory_now(), 1), round(now.cpu, 2)))

    def _figures(self) -> dict:
        first, last = self.samples[0], self.samples[-1]
        base = self.pipeline.get_base_time()
        received = [(at, (passed - base - at) / 1e6) for at, passed in self.received.frames()]
        # The frames whose work lies between both samples, in seconds of the stream.
        seconds = (len(self.sent) - self.first) / self.spec["rate"]
        whole = len(self.sent) / self.spec["rate"]
        if seconds <= 0 or not received:
            return {"error": f"{len(self.sent)} frames were sent, {len(received)} were received"}
        cpu = (last.cpu - first.cpu) / seconds
        figures = {
            "cpu": cpu, "cpu-peak": peak(self.samples),
            "cpu-frame": cpu * seconds * 1000 / max(1, sum(
                at >= self.first / self.spec["rate"] * 1e9 for at, _ in received)),
            "drops": 100 * (1 - len(received) / len(self.sent)),
            "memory": peak_memory(), "switches": (last.switches - first.switches) / seconds,
            "frames": len(self.encoded) / whole, "bitrate": self.encoded.bytes * 8 / 1e6 / whole, **self._ages(),
        }
        if self.counter.is_loaded:
            figures["allocations"] = (last.requests - first.requests) / seconds
            if acquires := self.counter.acquires():
                figures["acquire"] = max(acquires)
        if self.machine:
            # The length of the run depends on the heat, so that other figures cannot be compared. The source sends
            # fewer frames when it is asked to, so that these are counted by the clock.
            frames, size = self.before
            wall = last.time - first.time
            figures = {"frames": (len(self.encoded) - frames) / wall, "heat": self.machine.result,
                       "bitrate": (self.encoded.bytes - size) * 8 / 1e6 / wall}
        kept = {"figures": figures, "ages": [[round(at / 1e9, 3), round(age, 2)] for at, age in received],
                "alerts": self.alerts, "wall": last.time - first.time}
        if self.machine:
            kept["heat"] = self.machine.curve
        if self.curve:
            kept["curve"] = self.curve
        return kept

    def _ages(self) -> dict:
        """Percentiles of the age at the receiver in ms, as perfmonitor gives them, and their coverage in %."""
        stats = self.pipeline.get_by_name("monitor").get_property("stats")
        if not stats.has_field("end"):
            return {}
        total = stats.get_value("end").get_value("since-start")
        found = {f"age-{name}": total.get_value(f"age-{name}") / 1e6 for name in ("p50", "p95", "p99")
                 if total.has_field(f"age-{name}")}
        if total.has_field("age-coverage"):
            found["coverage"] = 100 * total.get_value("age-coverage")
        return found


def play(spec: dict) -> dict:
    """The figures of a run, or {"error": text}."""
    Gst.init(None)
    try:
        return Run(spec).play()
    except Exception as error:  # pylint: disable=broad-except
        # A launch line that cannot be built, or an element that is missing.
        return {"error": str(error)}
