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
    # The change is the mean of the pairs: the median of figures that mostly are 0 would be 0.
    is_mean: bool = False
    # Frames that get lost save it, so that less of it is no gain where more frames are lost.
    is_saved_by_losses: bool = False
    # The largest value that a run can have; a figure that is as large is a lower bound.
    ceiling: float | None = None

    @property
    def no_change(self) -> float:
        return 1.0 if self.is_ratio else 0.0


_ALL = [
    Metric("cpu-frame", "CPU for each frame received", "ms", digits=2),
    Metric("cpu", "CPU, mean", "cores", digits=3, is_saved_by_losses=True),
    Metric("cpu-peak", "CPU, peak of 0.5 s", "cores", digits=2, is_saved_by_losses=True),
    Metric("drops", "frames lost", "%", is_ratio=False, margin=0.2, digits=2, is_mean=True),
    Metric("packets", "packets lost on the loopback", "%", is_ratio=False, margin=0.2, digits=2, is_mean=True),
    Metric("age-p50", "end-to-end P50", "ms"),
    Metric("age-p95", "end-to-end P95", "ms"),
    Metric("age-p99", "end-to-end P99", "ms"),
    Metric("coverage", "frames whose age perfmonitor knows", "%", is_ratio=False, lower_is_better=False, margin=1,
           is_mean=True),
    Metric("allocations", "requests for memory", "1/s", digits=0, is_saved_by_losses=True),
    Metric("acquire", "slowest acquire of the source, after the warm-up", "ms", digits=3),
    Metric("acquire-start", "slowest acquire of the source, in the warm-up", "ms", digits=3),
    Metric("memory", "peak memory", "MB", is_saved_by_losses=True),
    Metric("switches", "context switches", "1/s", digits=0, is_saved_by_losses=True),
    Metric("frames", "frames encoded", "1/s", lower_is_better=False),
    Metric("bitrate", "output of the encoder", "Mbit/s", lower_is_better=False, digits=2),
    Metric("heat", "time until the limit of heat, SIMULATED", "min", lower_is_better=False, ceiling=60),
]

METRICS = {metric.name: metric for metric in _ALL}
