"""The metrics of a run: how two runs are compared, and what counts as equal."""
from dataclasses import dataclass


@dataclass(frozen=True)
class Metric:
    """A figure of a run."""

    name: str
    title: str
    unit: str
    # Pairs are compared by their ratio, or by their difference if the figure may be 0.
    is_ratio: bool = True
    lower_is_better: bool = True
    # Differences that do not matter: a share of the figure, or in its unit.
    margin: float = 0.02
    digits: int = 1

    @property
    def no_change(self) -> float:
        return 1.0 if self.is_ratio else 0.0


_ALL = [
    Metric("cpu", "CPU, mean", "cores", digits=3),
    Metric("cpu-peak", "CPU, peak of 0.5 s", "cores", digits=2),
    Metric("cpu-frame", "CPU for each frame received", "ms", digits=2),
    Metric("drops", "frames lost", "%", is_ratio=False, margin=0.2, digits=2),
    Metric("age-p50", "end-to-end P50", "ms"),
    Metric("age-p95", "end-to-end P95", "ms"),
    Metric("age-p99", "end-to-end P99", "ms"),
    Metric("coverage", "frames whose age is known", "%", is_ratio=False, lower_is_better=False, margin=1, digits=1),
    Metric("allocations", "requests for memory", "1/s", digits=0),
    Metric("acquire", "slowest acquire from a pool", "ms", digits=3),
    Metric("memory", "peak memory", "MB"),
    Metric("switches", "context switches", "1/s", digits=0),
    Metric("frames", "frames encoded", "1/s", lower_is_better=False),
    Metric("bitrate", "output of the encoder", "Mbit/s", lower_is_better=False, digits=2),
    Metric("heat", "time until the limit of heat, SIMULATED", "min", lower_is_better=False),
]

METRICS = {metric.name: metric for metric in _ALL}
