"""The figures of a run, from what its process recorded."""
import math
from dataclasses import dataclass
from functools import cached_property

from usage import Usage, peak, peak_memory

# The 99th percentile of fewer frames would be their maximum.
LEAST_FOR_P99 = 100


@dataclass(frozen=True)
class Span:
    """The part of a run from the end of its warm-up to the sample after the last frame that was received.

    `end` is the time of that frame. `stream` is how long the source took for the frames of the span: a receiver that
    falls behind ends later, and has not used less of a processor for that.
    """

    samples: list[Usage]
    end: float
    stream: float

    @property
    def first(self) -> Usage:
        return self.samples[0]

    @cached_property
    def last(self) -> Usage:
        """The run waits a while for frames that were lost; that time does not count."""
        return next((sample for sample in self.samples[1:] if sample.time >= self.end), self.samples[-1])

    @property
    def seconds(self) -> float:
        return max(1e-6, self.stream)

    def contains(self, time: float) -> bool:
        return self.first.time < time <= self.last.time


def usage(span: Span, received: int) -> dict[str, float]:
    """CPU and context switches a second of the stream, and CPU for each frame that was received in the span."""
    cpu = span.last.cpu - span.first.cpu
    samples = [sample for sample in span.samples if sample.time <= span.last.time]
    return {"cpu": cpu / span.seconds, "cpu-peak": peak(samples), "cpu-frame": 1000 * cpu / max(1, received),
            "memory": peak_memory(), "switches": (span.last.switches - span.first.switches) / span.seconds}


def rates(encoded: list[tuple[int, int]], sizes: list[int], span: Span) -> dict[str, float]:
    """Frames and megabits a second by the clock, from the first to the last frame that was encoded in the span."""
    times = [(passed / 1e9, size) for (_, passed), size in zip(encoded, sizes) if passed / 1e9 > span.first.time]
    if len(times) < 2 or times[-1][0] <= times[0][0]:
        return {"frames": 0.0, "bitrate": 0.0}
    seconds = times[-1][0] - times[0][0]
    return {"frames": (len(times) - 1) / seconds, "bitrate": sum(size for _, size in times[1:]) * 8 / 1e6 / seconds}


def duration(passed: list[int]) -> float:
    """How long the source took for frames that it sent at these times in ns, in s, with the interval after the last."""
    return (passed[-1] - passed[0]) / 1e9 * len(passed) / (len(passed) - 1) if len(passed) > 1 else 0.0


def percentiles(ages: list[float]) -> dict[str, float]:
    """P50, P95 and, of enough frames, P99 by nearest rank; they are exact, unlike those of a histogram."""
    ordered = sorted(ages)
    shares = {"age-p50": 0.5, "age-p95": 0.95} | ({"age-p99": 0.99} if len(ordered) >= LEAST_FOR_P99 else {})
    return {name: ordered[math.ceil(share * len(ordered)) - 1] for name, share in shares.items()} if ordered else {}
