"""Statistics of pairs of runs.

A row is examined after fixed numbers of pairs, its looks. Each look k has a share w_k of the permitted error, and the
shares add up to 1, so that p = min over the looks so far of p_k / w_k is a valid p value at whatever look the row stops
(the union bound). Holm's method over these values of all rows then bounds the probability of any false verdict.
"""
import warnings
import zlib
from dataclasses import dataclass
from functools import cached_property, lru_cache

import numpy
from scipy import stats

from metrics import Metric

BOOTSTRAPS = 10_000


@dataclass(frozen=True)
class Looks:
    """Numbers of pairs after which a row is examined, and the share of the permitted error of each."""

    pairs: tuple[int, ...] = (20, 30, 44)
    shares: tuple[float, ...] = (0.5, 0.25, 0.25)

    def __post_init__(self):
        if len(self.pairs) != len(self.shares) or abs(sum(self.shares) - 1) > 1e-9:
            raise ValueError(f"looks {self.pairs} need as many shares with the sum 1, not {self.shares}")


@dataclass(frozen=True)
class Interval:
    """A median, and the bounds of its interval."""

    median: float
    low: float
    high: float

    def excludes(self, value: float) -> bool:
        return value < self.low or value > self.high


@dataclass(frozen=True)
class Evidence:
    """The statistics of the pairs of a row for one metric."""

    pairs: int
    # On the scale of the metric: a ratio, or a difference.
    effect: Interval
    before: float
    after: float
    # Wilcoxon's, of all pairs so far, and the value that is valid at any look.
    p: float
    sequential_p: float
    # The interval whose level takes part of the permitted error for each look lies within the margin.
    is_equivalent: bool
    spread: float
    # Differences of the pairs, in the unit of the metric.
    apart: tuple[float, ...] = ()

    @cached_property
    def difference(self) -> Interval:
        """The median difference with its interval, in the unit of the metric."""
        values = numpy.asarray(self.apart)
        return Interval(float(numpy.median(values)), *bounds(medians(values, "difference"), 0.95))


def changes(metric: Metric, before: numpy.ndarray, after: numpy.ndarray) -> numpy.ndarray:
    """The change of each pair: symmetric about 0 if nothing changes."""
    return numpy.log(after / before) if metric.is_ratio else after - before


def from_change(metric: Metric, change: float) -> float:
    return float(numpy.exp(change)) if metric.is_ratio else float(change)


def margin(metric: Metric) -> float:
    """The margin on the scale of `changes`; -2 % is nearer to 0 there than +2 %, and the nearer one is used."""
    return float(numpy.log(1 + metric.margin)) if metric.is_ratio else metric.margin


def medians(values: numpy.ndarray, seed: str) -> numpy.ndarray:
    """Medians of paired bootstraps."""
    return _medians(tuple(values), seed, BOOTSTRAPS)


@lru_cache(maxsize=256)
def _medians(numbers: tuple[float, ...], seed: str, count: int) -> numpy.ndarray:
    """The same; a later look asks again for those of the earlier ones."""
    values = numpy.asarray(numbers, numpy.float32)
    generator = numpy.random.default_rng(zlib.crc32(seed.encode()))
    drawn = values[generator.integers(0, len(values), size=(count, len(values)))]
    middle = len(values) // 2
    if len(values) % 2:
        return numpy.partition(drawn, middle, axis=1)[:, middle]
    drawn.partition((middle - 1, middle), axis=1)
    return (drawn[:, middle - 1] + drawn[:, middle]) / 2


def bounds(found: numpy.ndarray, level: float) -> tuple[float, float]:
    tail = (1 - level) / 2
    low, high = numpy.quantile(found, [tail, 1 - tail])
    return float(low), float(high)


def wilcoxon(change: numpy.ndarray) -> float:
    """The two-sided p of the signed ranks; 1 if no pair differs."""
    if not numpy.any(change):
        return 1.0
    magnitudes = numpy.abs(change)
    is_exact = len(numpy.unique(magnitudes)) == len(change) and numpy.all(magnitudes > 0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # SciPy warns of few pairs that differ; p is large then.
        return float(stats.wilcoxon(change, zero_method="pratt", correction=not is_exact,
                                    method="exact" if is_exact else "approx").pvalue)


def examine(metric: Metric, before: list[float], after: list[float], looks: Looks, alpha: float,
            seed: str) -> Evidence:
    """The evidence after all pairs so far, whose number need not be that of a look."""
    one, two = numpy.asarray(before, float), numpy.asarray(after, float)
    change = changes(metric, one, two)
    found = medians(change, seed)
    low, high = bounds(found, 0.95)
    sequential, is_equivalent = 1.0, False
    for pairs, share in zip(looks.pairs, looks.shares):
        if pairs > len(change):
            break
        part = change[:pairs]
        sequential = min(sequential, wilcoxon(part) / share)
        there = found if pairs == len(change) else medians(part, seed)
        least, most = bounds(there, 1 - alpha * share)
        is_equivalent = is_equivalent or (-margin(metric) <= least and most <= margin(metric))
    deviation = float(1.4826 * numpy.median(numpy.abs(change - numpy.median(change))))
    return Evidence(
        len(change), Interval(*(from_change(metric, value) for value in (float(numpy.median(change)), low, high))),
        float(numpy.median(one)), float(numpy.median(two)), wilcoxon(change), min(1.0, sequential), is_equivalent,
        deviation, tuple(two - one))


def holm(values: dict) -> dict:
    """Adjusted p values: Holm's step-down method, valid for any dependence. Those up to alpha are rejected."""
    adjusted, highest = {}, 0.0
    for rank, (name, p) in enumerate(sorted(values.items(), key=lambda item: item[1])):
        highest = max(highest, min(1.0, p * (len(values) - rank)))
        adjusted[name] = highest
    return adjusted
