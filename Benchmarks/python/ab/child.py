"""Plays one run in a separate process and returns its figures."""
import time

import figures

import gi

gi.require_version("Gst", "1.0")
from gi.repository import Gst

from heat import HeatedMachine, HeatModel
from native import Counter, path, probes

MONITOR = "perfmonitor name=monitor report=none"
# Interval between two samples, in ns.
POLL = 20_000_000
# Interval between the samples that a long run keeps, in s. With a longer interval, the samples take less memory.
LONG_POLL = 0.25
# After this time without a frame, in s, the run does not wait for more frames.
SILENCE = 0.3


class Run:
    """A pipeline with elements `source`, `encoder` and `end`, and perhaps `payloader`, `receiver` and `consumer`."""

    def __init__(self, spec: dict) -> None:
        self.spec = spec
        self.counter, functions = Counter(), probes(path(spec["libraries"], "probes"))
        self.pipeline = Gst.parse_launch(f"{spec['line']} {MONITOR} {spec.get('monitor', '')}")
        receiver = self._pad("receiver", "src")
        if receiver:
            functions.ab_restamp(hash(receiver))
        self.sent, self.encoded, self.received = (
            functions.ab_record(hash(self._pad(*place))).contents
            for place in (("source", "src"), ("encoder", "src"), ("end", "sink")))
        if slow := spec.get("slow"):
            times = (round(slow[name] * Gst.SECOND) for name in ("period", "span", "pause"))
            functions.ab_slow_down(hash(self._pad("consumer", "sink")), *times)
        # Numbers of packets behind the payloader and at the receiver. Only the sockets between the two lose packets.
        self.packets = [functions.ab_count(hash(pad)) for pad in (self._pad("payloader", "src"), receiver) if pad]
        self.alerts: list[str] = []
        # Time in s, resident memory in MB and CPU time in s, once a second.
        self.curve: list[tuple[float, float, float]] = []
        self.samples: list[figures.Usage] = []
        # Number of frames that had been sent at the first sample.
        self.first = 0
        heat = spec.get("heat")
        self.machine = HeatedMachine(heat["folder"], HeatModel(**heat["model"]), heat["load"],
                                     heat["minutes-per-second"]) if heat else None
        # CPU time in s that `_burn` has used so far, and CPU time in s of the process at the start.
        self.burnt, self.begin = 0.0, time.process_time()

    def _pad(self, name: str, pad: str):
        element = self.pipeline.get_by_name(name)
        return element.get_static_pad(pad) if element else None

    def play(self) -> dict:
        """Plays until all frames have arrived, no frame has arrived for SILENCE, or the simulation has ended."""
        frames, warm = self.spec["frames"], self.spec["warm-frames"]
        if not warm:
            self._sample()
        self.pipeline.set_state(Gst.State.PLAYING)
        limit, last_count, changed = time.monotonic() + self.spec["limit"], 0, time.monotonic()
        while time.monotonic() < limit:
            if error := self._wait():
                return {"error": error}
            sent, count = self.sent.number, self.received.number
            if sent < warm:
                continue
            if not self.samples:
                self.first = sent
            self._sample()
            if count != last_count or sent < frames:
                last_count, changed = count, time.monotonic()
            is_complete = sent >= frames and (count >= sent or time.monotonic() - changed > SILENCE)
            if is_complete or self.machine and self.machine.is_done:
                return self._figures()
        return {"error": f"the run took longer than {self.spec['limit']} s"}

    def _wait(self) -> str | None:
        """Waits for one message, at most until the next sample. Returns the text of an error, or None."""
        message = self.pipeline.get_bus().timed_pop_filtered(POLL, Gst.MessageType.ERROR | Gst.MessageType.ELEMENT)
        if message and message.type == Gst.MessageType.ERROR:
            return f"{message.src.get_name()}: {message.parse_error()[0].message}"
        if message and message.get_structure().get_name() == "performance-alert":
            self.alerts.append(message.get_structure().to_string())
        return None

    def _sample(self) -> None:
        self._burn(self.spec.get("burn", 0))
        now = figures.Usage.now(self.counter.requests())
        if self.machine and self.samples:
            self.machine.run(now.time - self.samples[-1].time, now.cpu - self.samples[-1].cpu)
        if self.spec.get("curve") and len(self.samples) > 2 and now.time - self.samples[-2].time < LONG_POLL:
            self.samples[-1] = now
        else:
            self.samples.append(now)
        elapsed = now.time - self.samples[0].time
        if self.spec.get("curve") and elapsed >= len(self.curve):
            self.curve.append((round(elapsed, 1), round(figures.memory("VmRSS"), 1), round(now.cpu, 2)))

    def _burn(self, share: float) -> None:
        """Uses `share` times the CPU time of the rest of the process. --verify checks that the sessions detect this."""
        while self.burnt < share * (time.process_time() - self.begin - self.burnt):
            before = time.thread_time()
            for _ in range(2000):
                pass
            self.burnt += time.thread_time() - before

    def _figures(self) -> dict:
        base = self.pipeline.get_base_time()
        sent, received = self.sent.frames(), self.received.frames()
        if self.first >= len(sent) or not received:
            return {"error": f"{len(sent)} frames were sent, {len(received)} were received"}
        # Only frames after the warm-up count. RTP rounds their times to 11 us, so frames up to 1 ms earlier count too.
        begin = sent[self.first][0] - Gst.MSECOND
        counted = sum(at >= begin for at, _ in sent), sum(at >= begin for at, _ in received)
        ages = [(at, (passed - base - at) / 1e6) for at, passed in received]
        stream = figures.duration([passed for at, passed in sent if at >= begin])
        span = figures.Span(self.samples, received[-1][1] / 1e9, stream)
        found = figures.rates(self.encoded.frames(), self.encoded.sizes, span)
        kept = {"figures": found, "ages": [[round(at / 1e9, 3), round(age, 2)] for at, age in ages],
                "warm": round(begin / 1e9, 3), "frames": list(counted), "alerts": self.alerts}
        if self.machine:
            # The heat determines the length of a run, so the other figures of two runs cannot be compared.
            found["heat"], kept["heat"] = self.machine.result, self.machine.curve
            kept["load"] = self.machine.used / self.machine.seconds
        else:
            measured = sum(span.first.time < passed / 1e9 <= span.last.time for _, passed in received)
            found |= {**figures.usage(span, measured),
                      "drops": 100 * (1 - counted[1] / counted[0]),
                      **figures.percentiles([age for at, age in ages if at >= begin]), **self._memory(span)}
            if monitor := self._monitor([age for _, age in ages], found):
                kept["monitor"] = monitor
        if len(self.packets) == 2:
            kept["packets"] = [packets.contents.value for packets in self.packets]
            found["packets"] = 100 * max(0.0, 1 - kept["packets"][1] / max(1, kept["packets"][0]))
        if self.curve:
            kept["curve"] = self.curve
        return kept

    def _memory(self, span: figures.Span) -> dict:
        """Requests for memory per second, and the slowest acquires from the pools of the source's frames, in ms."""
        if not self.counter.is_loaded:
            return {}
        found = {"allocations": (span.last.requests - span.first.requests) / span.stream}
        pools = set(self.sent.pools[:self.sent.number]) - {0}
        for pool, at, took in self.counter.acquires():
            if pool in pools:
                name = "acquire-start" if at / 1e9 < span.first.time else "acquire"
                found[name] = max(found.get(name, 0.0), took / 1e6)
        return found

    def _monitor(self, ages: list[float], found: dict) -> dict:
        """For each percentile, the value of perfmonitor and the exact value. Adds the coverage of ages to `found`."""
        stats = self.pipeline.get_by_name("monitor").get_property("stats")
        if not stats.has_field("end"):
            return {}
        total = stats.get_value("end").get_value("since-start")
        if total.has_field("age-coverage"):
            found["coverage"] = 100 * total.get_value("age-coverage")
        exact = figures.percentiles(ages)
        return {name: [total.get_value(name) / 1e6, exact[name]] for name in exact if total.has_field(name)}


def play(spec: dict) -> dict:
    """The figures of a run, or {"error": text} if the run failed."""
    Gst.init(None)
    try:
        return Run(spec).play()
    except Exception as error:  # pylint: disable=broad-except
        # The run fails, for example, if the launch line has a mistake, or an element is missing.
        return {"error": str(error)}
