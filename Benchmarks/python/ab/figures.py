"""Computes the figures of a run from the counters and frames that its process has recorded."""
import math
import resource
import time
from bisect import bisect_right
from dataclasses import dataclass
from functools import cached_property

# Length of the window in which the peak of the CPU usage is measured, in s.
PEAK_SPAN = 0.5
# Minimum number of frames for P99. With fewer frames, P99 would be the maximum.
LEAST_FOR_P99 = 100


@dataclass(frozen=True)
class Usage:
    """Counters of the process at one moment: CPU time in s, context switches, and requests for memory."""

    time: float
    cpu: float
    switches: int
    requests: int

    @staticmethod
    def now(requests: int) -> "Usage":
        used = resource.getrusage(resource.RUSAGE_SELF)
        return Usage(time.monotonic(), used.ru_utime + used.ru_stime, used.ru_nvcsw + used.ru_nivcsw, requests)


@dataclass(frozen=True)
class Span:
    """The part of a run from the end of its warm-up to the sample after the last frame that was received.

    `end` is the time of that last frame. `stream` is the duration in which the source sent the frames of the span. CPU
    rates refer to `stream`, because a run with a slow receiver ends later, but does the same work.
    """

    samples: list[Usage]
    end: float
    stream: float

    @cached_property
    def counted(self) -> list[Usage]:
        """The samples of the span up to the last frame. After this frame, the run only waits for lost frames."""
        later = (number for number, sample in enumerate(self.samples, 1) if number > 1 and sample.time >= self.end)
        return self.samples[:next(later, None)]

    @property
    def first(self) -> Usage:
        return self.samples[0]

    @property
    def last(self) -> Usage:
        return self.counted[-1]


def usage(span: Span, received: int) -> dict[str, float]:
    """CPU and context switches per second of the stream, and CPU per frame that was received in the span."""
    cpu = span.last.cpu - span.first.cpu
    return {"cpu": cpu / span.stream, "cpu-peak": _peak(span.counted), "cpu-frame": 1000 * cpu / max(1, received),
            "memory": memory("VmHWM"), "switches": (span.last.switches - span.first.switches) / span.stream}


def _peak(samples: list[Usage]) -> float:
    """Number of busy cores in the busiest half second, or in the whole span if it is shorter."""
    times = [sample.time for sample in samples]
    begins = [bisect_right(times, time - PEAK_SPAN) - 1 for time in times]
    spans = [(samples[begin], last) for begin, last in zip(begins, samples) if begin >= 0]
    spans = spans or [(samples[0], samples[-1])]
    return max((last.cpu - first.cpu) / (last.time - first.time) for first, last in spans)


def memory(name: str) -> float:
    """Resident memory in MB: "VmHWM" is the peak since the start, "VmRSS" the current value."""
    with open("/proc/self/status", encoding="ascii", errors="replace") as file:
        return next(int(line.split()[1]) for line in file if line.startswith(f"{name}:")) * 1024 / 1e6


def rates(encoded: list[tuple[int, int]], sizes: list[int], span: Span) -> dict[str, float]:
    """Frames and megabits per second of wall time, of the frames that were encoded after the start of the span."""
    passed = [(at / 1e9, size) for (_, at), size in zip(encoded, sizes) if at / 1e9 > span.first.time]
    if len(passed) < 2:
        return {"frames": 0.0, "bitrate": 0.0}
    seconds = passed[-1][0] - passed[0][0]
    return {"frames": (len(passed) - 1) / seconds, "bitrate": sum(size for _, size in passed[1:]) * 8 / 1e6 / seconds}


def duration(passed: list[int]) -> float:
    """Duration in s of frames sent at the times `passed` (ns), including the interval after the last frame."""
    return (passed[-1] - passed[0]) / 1e9 * len(passed) / (len(passed) - 1) if len(passed) > 1 else 0.0


def percentiles(ages: list[float]) -> dict[str, float]:
    """Exact P50 and P95 by nearest rank, and P99 if there are enough frames."""
    ordered = sorted(ages)
    shares = {"age-p50": 0.5, "age-p95": 0.95} | ({"age-p99": 0.99} if len(ordered) >= LEAST_FOR_P99 else {})
    return {name: ordered[math.ceil(share * len(ordered)) - 1] for name, share in shares.items()} if ordered else {}
