"""Statistics of pairs of runs.

A row is examined after fixed numbers of pairs, its looks. Each look k has a share w_k of the permitted error, and the
shares add up to 1, so that p = min over the looks so far of p_k / w_k is a valid p value at whatever look the row stops
(the union bound). Holm's method over these values of all rows then bounds the probability of any false verdict.

Everything is computed from the pairs of the last look that was reached: pairs after it wait for the next one. Pairs are
those of the row, so that a figure that one run lacks does not move a look.
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


    def reached(self, pairs: int) -> int:
        """The last look with at most so many pairs; all pairs before the first look."""
        return max((look for look in self.pairs if look <= pairs), default=pairs)

    def share(self, pairs: int) -> float:
        """The share of the error of a look; 0 before the first one, which permits no verdict."""
        return dict(zip(self.pairs, self.shares)).get(pairs, 0.0)


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

    # Pairs of the row at its last look.
    pairs: int
    # On the scale of the metric: a ratio, or a difference. The interval contains 95 %.
    effect: Interval
    before: float
    after: float
    # That of all pairs so far, and the value that is valid at any look.
    p: float
    sequential_p: float
    # The interval whose level takes part of the permitted error for each look lies within the margin.
    is_equivalent: bool
    spread: float
    # Changes of the pairs on the scale of `changes`, and their differences in the unit of the metric.
    changed: tuple[float, ...] = ()
    apart: tuple[float, ...] = ()
    is_mean: bool = False

    @cached_property
    def difference(self) -> Interval:
        """The difference with its interval of 95 %, in the unit of the metric."""
        values = numpy.asarray(self.apart)
        return Interval(_middle(values, self.is_mean), *bounds(centres(values, "difference", self.is_mean), 0.95))

    def sure(self, error: float, is_difference: bool = False) -> tuple[float, float]:
        """Bounds outside of which the true change is with at most the probability `error`, as a change of the pairs."""
        values = numpy.asarray(self.apart if is_difference else self.changed)
        if self.is_mean:
            return bounds(centres(values, "sure", True), 1 - error)
        return order_statistics(values, error)


def order_statistics(values: numpy.ndarray, error: float) -> tuple[float, float]:
    """The interval of a median by the binomial distribution, exact for any distribution of the values.

    The bootstrap has too few values in its tails for the small errors of many claims.
    """
    ordered = numpy.sort(values)
    # The median is below the k-th smallest value only if at most k - 1 values are below the median.
    cut = int(stats.binom.ppf(error / 2, len(ordered), 0.5))
    if cut == 0:
        return -float("inf"), float("inf")
    return float(ordered[cut - 1]), float(ordered[-cut])


def changes(metric: Metric, before: numpy.ndarray, after: numpy.ndarray) -> numpy.ndarray:
    """The change of each pair: symmetric about 0 if nothing changes."""
    return numpy.log(after / before) if metric.is_ratio else after - before


def from_change(metric: Metric, change: float) -> float:
    return float(numpy.exp(change)) if metric.is_ratio else float(change)


def margin(metric: Metric) -> float:
    """The margin on the scale of `changes`; -2 % is nearer to 0 there than +2 %, and the nearer one is used."""
    return float(numpy.log(1 + metric.margin)) if metric.is_ratio else metric.margin


def centres(values: numpy.ndarray, seed: str, is_mean: bool = False) -> numpy.ndarray:
    """Medians of paired bootstraps, or means of bootstraps whose units are blocks of two pairs."""
    return (_means if is_mean else _medians)(tuple(values), seed, BOOTSTRAPS)


@lru_cache(maxsize=256)
def _means(numbers: tuple[float, ...], seed: str, count: int) -> numpy.ndarray:
    """A block is a unit because something that disturbs one pair often disturbs its neighbour."""
    blocks = [numbers[index:index + 2] for index in range(0, len(numbers), 2)]
    sums, sizes = numpy.asarray([sum(block) for block in blocks]), numpy.asarray([len(block) for block in blocks])
    drawn = _generator(seed).integers(0, len(blocks), size=(count, len(blocks)))
    return sums[drawn].sum(axis=1) / sizes[drawn].sum(axis=1)


@lru_cache(maxsize=256)
def _medians(numbers: tuple[float, ...], seed: str, count: int) -> numpy.ndarray:
    values = numpy.asarray(numbers, numpy.float32)
    drawn = values[_generator(seed).integers(0, len(values), size=(count, len(values)))]
    middle = len(values) // 2
    if len(values) % 2:
        return numpy.partition(drawn, middle, axis=1)[:, middle]
    drawn.partition((middle - 1, middle), axis=1)
    return (drawn[:, middle - 1] + drawn[:, middle]) / 2


def _generator(seed: str) -> numpy.random.Generator:
    return numpy.random.default_rng(zlib.crc32(seed.encode()))


def _middle(values: numpy.ndarray, is_mean: bool) -> float:
    return float(numpy.mean(values) if is_mean else numpy.median(values))


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


def sign_flips(change: numpy.ndarray) -> float:
    """The two-sided p of the mean: how often it is as large if the sign of each pair is drawn anew.

    Wilcoxon's is about the median, which is 0 if most pairs are equal.
    """
    different = change[change != 0]
    if not len(different):
        return 1.0
    least = abs(different.sum()) * (1 - 1e-9)
    if len(different) <= 14:
        signs = 1 - 2 * ((numpy.arange(2 ** len(different))[:, None] >> numpy.arange(len(different))) & 1)
        return float(numpy.mean(numpy.abs(signs @ different) >= least))
    signs = _generator("flips").integers(0, 2, size=(50_000, len(different)), dtype=numpy.int8) * 2 - 1
    return float((1 + numpy.sum(numpy.abs(signs @ different) >= least)) / 50_001)


def p_value(metric: Metric, change: numpy.ndarray) -> float:
    return sign_flips(change) if metric.is_mean else wilcoxon(change)


def examine(metric: Metric, before: list[float | None], after: list[float | None], looks: Looks, alpha: float,
            seed: str) -> Evidence | None:
    """The evidence at the last look; None if more than a tenth of the pairs lack the figure."""
    reached = looks.reached(len(before))
    both = [(number, a, b) for number, (a, b) in enumerate(zip(before[:reached], after[:reached]))
            if a is not None and b is not None and (not metric.is_ratio or min(a, b) > 0)]
    if not both or len(both) < 0.9 * reached:
        return None
    numbers, one, two = (numpy.asarray(column, float) for column in zip(*both))
    change = changes(metric, one, two)
    found = centres(change, seed, metric.is_mean)
    sequential = min((p_value(metric, part) / share for pairs, share in zip(looks.pairs, looks.shares)
                      if pairs <= reached and len(part := change[numbers < pairs])), default=1.0)
    # Only the present data count: pairs that were equal at an earlier look may differ now.
    least, most = bounds(found, 1 - alpha * looks.share(reached))
    is_equivalent = looks.share(reached) > 0 and -margin(metric) <= least and most <= margin(metric)
    deviation = float(numpy.std(change) if metric.is_mean else
                      1.4826 * numpy.median(numpy.abs(change - numpy.median(change))))
    centre = _middle(change, metric.is_mean)
    return Evidence(
        reached, Interval(*(from_change(metric, value) for value in (centre, *bounds(found, 0.95)))),
        _middle(one, metric.is_mean), _middle(two, metric.is_mean), p_value(metric, change), min(1.0, sequential),
        is_equivalent, deviation, tuple(change), tuple(two - one), metric.is_mean)


def holm(values: dict) -> dict:
    """Adjusted p values: Holm's step-down method, valid for any dependence. Those up to alpha are rejected."""
    adjusted, highest = {}, 0.0
    for rank, (name, p) in enumerate(sorted(values.items(), key=lambda item: item[1])):
        highest = max(highest, min(1.0, p * (len(values) - rank)))
        adjusted[name] = highest
    return adjusted
