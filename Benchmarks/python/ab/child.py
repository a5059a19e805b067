"""Plays one run in a process of its own, and returns its figures."""
import time

import figures

import gi

gi.require_version("Gst", "1.0")
from gi.repository import Gst

from heat import HeatedMachine, HeatModel
from native import Counter, Probes, path
from usage import Burner, Usage, memory_now

MONITOR = "perfmonitor name=monitor report=none"
# Interval of the samples, in ns.
POLL = 20_000_000
# Interval in s of the samples that a long run keeps: its memory shall not grow by those of the instrument.
LONG_POLL = 0.25
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
        # Packets behind the payloader and at the receiver: a difference is a loss of the sockets, not of an element.
        self.packets = [probes.count(pad) for pad in (self._pad("payloader", "src"), receiver) if pad]
        self.alerts: list[str] = []
        # Time in s, resident memory in MB and CPU time in s, once a second.
        self.curve: list[tuple[float, float, float]] = []
        self.samples: list[Usage] = []
        # Number of frames that had been sent at the first sample.
        self.first = 0
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
                self.first = len(self.sent)
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
        if self.spec.get("curve") and len(self.samples) > 2 and now.time - self.samples[-2].time < LONG_POLL:
            self.samples[-1] = now
        else:
            self.samples.append(now)
        elapsed = now.time - self.samples[0].time
        if self.spec.get("curve") and elapsed >= len(self.curve):
            self.curve.append((round(elapsed, 1), round(memory_now(), 1), round(now.cpu, 2)))

    def _figures(self) -> dict:
        base = self.pipeline.get_base_time()
        sent, received, encoded = self.sent.frames(), self.received.frames(), self.encoded.frames()
        if self.first >= len(sent) or not received:
            return {"error": f"{len(sent)} frames were sent, {len(received)} were received"}
        # Frames from the end of the warm-up on. RTP rounds times to 11 us.
        begin = sent[self.first][0] - Gst.MSECOND
        counted = sum(at >= begin for at, _ in sent), sum(at >= begin for at, _ in received)
        ages = [(at, (passed - base - at) / 1e6) for at, passed in received]
        stream = figures.duration([passed for at, passed in sent if at >= begin])
        span = figures.Span(self.samples, received[-1][1] / 1e9, stream)
        rates = figures.rates(encoded, self.encoded.sizes(), span)
        if self.machine:
            # The length of the run depends on the heat, so that other figures cannot be compared.
            found = {**rates, "heat": self.machine.result}
        else:
            found = {**figures.usage(span, sum(span.contains(passed / 1e9) for _, passed in received)), **rates,
                     "drops": 100 * (1 - counted[1] / counted[0]),
                     **figures.percentiles([age for at, age in ages if at >= begin]), **self._memory(span)}
        kept = {"figures": found, "ages": [[round(at / 1e9, 3), round(age, 2)] for at, age in ages],
                "warm": round(begin / 1e9, 3), "frames": list(counted), "alerts": self.alerts, "wall": span.seconds}
        if len(self.packets) == 2:
            kept["packets"] = [count() for count in self.packets]
            found["packets"] = 100 * max(0.0, 1 - kept["packets"][1] / max(1, kept["packets"][0]))
        if monitor := self._monitor([age for _, age in ages], found):
            kept["monitor"] = monitor
        if self.machine:
            kept["heat"], kept["load"] = self.machine.curve, self.machine.load
        if self.curve:
            kept["curve"] = self.curve
        return kept

    def _memory(self, span: figures.Span) -> dict:
        """Requests for memory, and the slowest acquires from the pools that the frames of the source belong to."""
        if not self.counter.is_loaded:
            return {}
        found = {"allocations": (span.last.requests - span.first.requests) / span.seconds}
        pools = self.sent.pools()
        acquires = [(at / 1e9 < span.first.time, took / 1e6) for pool, at, took in self.counter.acquires()
                    if pool in pools]
        for name, is_start in (("acquire", False), ("acquire-start", True)):
            if times := [took for was_start, took in acquires if was_start == is_start]:
                found[name] = max(times)
        return found

    def _monitor(self, ages: list[float], found: dict) -> dict:
        """Percentiles of all frames, each as perfmonitor gives it and exactly; its coverage goes to the figures."""
        stats = self.pipeline.get_by_name("monitor").get_property("stats")
        if self.machine or not stats.has_field("end"):
            return {}
        total = stats.get_value("end").get_value("since-start")
        if total.has_field("age-coverage"):
            found["coverage"] = 100 * total.get_value("age-coverage")
        exact = figures.percentiles(ages)
        return {name: [total.get_value(name) / 1e6, exact[name]] for name in exact if total.has_field(name)}


def play(spec: dict) -> dict:
    """The figures of a run, or {"error": text}."""
    Gst.init(None)
    try:
        return Run(spec).play()
    except Exception as error:  # pylint: disable=broad-except
        # A launch line that cannot be built, or an element that is missing.
        return {"error": str(error)}
