"""Statistics of pairs of runs.

A row is examined only after certain numbers of pairs, called looks. Each look k has a part w_k of the permitted error;
the parts add up to 1. The p value of the row is the minimum of p_k / w_k over the looks so far. By the union bound, it
is valid at any look at which the row stops. Holm's method over all rows bounds the probability of any false verdict.

The statistics use only the pairs up to the last look that was reached. Later pairs are used from the next look on. A
pair in which the figure is missing still counts as a pair of the row, so that the looks of all metrics are the same.
"""
import itertools
import math
import warnings
import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

import numpy
from scipy import stats

from plan import Looks, Metric

BOOTSTRAPS = 10_000


class Interval(NamedTuple):
    """A median, or a mean if the metric requires it, and the bounds of its confidence interval."""

    median: float
    low: float
    high: float


@dataclass(frozen=True)
class Evidence:
    """The statistics of the pairs of a row for one metric."""

    pairs: int  # Number of pairs of the row at its last look.
    effect: Interval  # Change (ratio or difference, depending on the metric) with its 95 % interval.
    before: float
    after: float
    p: float  # p value of these pairs, valid for a single look.
    sequential_p: float  # p value that is valid at any look at which the row stops.
    is_equivalent: bool  # Whether the interval, whose level is corrected for the looks, lies within the margin.
    spread: float
    changed: tuple[float, ...] = ()  # Change of each pair: logarithm of the ratio, or difference.
    apart: tuple[float, ...] = ()  # Difference of each pair in the unit of the metric.
    is_mean: bool = False

    @property
    def difference(self) -> Interval:
        """The difference with its 95 % interval, in the unit of the metric."""
        return interval(self.apart, "difference", self.is_mean)

    def sure(self, error: float, is_difference: bool) -> tuple[float, float]:
        """The interval that contains the true change with a probability of at least 1 - `error`."""
        values = self.apart if is_difference else self.changed
        return interval(values, "sure", True, 1 - error)[1:] if self.is_mean else order_statistics(values, error)


def order_statistics(values: Sequence[float], error: float) -> tuple[float, float]:
    """The confidence interval of a median, computed from order statistics. It is exact for any distribution.

    If a plan has many claims, the permitted error of each claim is small. A bootstrap then has too few samples in the
    tails, where the bounds of the interval are.
    """
    ordered = numpy.sort(values)
    # The median is below the k-th smallest value only if at most k - 1 values are below the median.
    cut = int(stats.binom.ppf(error / 2, len(ordered), 0.5))
    return (float(ordered[cut - 1]), float(ordered[-cut])) if cut else (-math.inf, math.inf)


def interval(values: Sequence[float], seed: str, is_mean: bool = False, level: float = 0.95) -> Interval:
    """The median or the mean of the values, with its confidence interval, computed by a bootstrap."""
    tail = (1 - level) / 2
    low, high = numpy.quantile(_bootstraps(tuple(values), seed, is_mean), [tail, 1 - tail])
    return Interval(_middle(values, is_mean), float(low), float(high))


def _middle(values: Sequence[float], is_mean: bool) -> float:
    return float(numpy.mean(values) if is_mean else numpy.median(values))


@lru_cache(maxsize=512)
def _bootstraps(values: tuple[float, ...], seed: str, is_mean: bool) -> numpy.ndarray:
    """Medians of bootstrap samples of pairs, or means of bootstrap samples of blocks of two pairs.

    A disturbance of one pair often affects the next pair too. A block keeps two such pairs together.
    """
    size = 2 if is_mean else 1
    blocks = numpy.asarray([*values, *[math.nan] * (-len(values) % size)]).reshape(-1, size)
    drawn = blocks[_random(seed).integers(0, len(blocks), size=(BOOTSTRAPS, len(blocks)))].reshape(BOOTSTRAPS, -1)
    return numpy.nanmean(drawn, axis=1) if is_mean else numpy.median(drawn, axis=1, overwrite_input=True)


def _random(seed: str) -> numpy.random.Generator:
    return numpy.random.default_rng(zlib.crc32(seed.encode()))


def wilcoxon(change: numpy.ndarray) -> float:
    """The two-sided p value of Wilcoxon's signed-rank test; 1 if no pair differs."""
    if not numpy.any(change):
        return 1.0
    is_exact = len(numpy.unique(numpy.abs(change))) == len(change) and numpy.all(change)
    with warnings.catch_warnings():
        # SciPy warns if few pairs differ. The p value is then large.
        warnings.simplefilter("ignore")
        return float(stats.wilcoxon(change, zero_method="pratt", correction=not is_exact,
                                    method="exact" if is_exact else "approx").pvalue)


def sign_flips(change: numpy.ndarray) -> float:
    """The two-sided p value of the mean, computed by changing the signs of the pairs at random.

    The p value is the fraction of samples whose mean is at least as far from 0 as the measured mean. Wilcoxon's test
    cannot be used, because it tests the median, which is 0 if most pairs are equal.
    """
    different = change[change != 0]
    if len(different) <= 14:
        signs = numpy.asarray(list(itertools.product((-1, 1), repeat=len(different))))
    else:
        signs = _random("flips").integers(0, 2, size=(50_001, len(different)), dtype=numpy.int8) * 2 - 1
        # Use the measured signs as one of the samples, so that p is never 0.
        signs[-1] = 1
    return float(numpy.mean(numpy.abs(signs @ different) >= abs(different.sum()) * (1 - 1e-9)))


def examine(metric: Metric, before: Sequence[float | None], after: Sequence[float | None], looks: Looks, alpha: float,
            seed: str) -> Evidence | None:
    """The statistics at the last look; None if the figure is missing in more than a tenth of the pairs."""
    reached = looks.reached(len(before))
    share = looks.share(reached)
    # A missing figure becomes NaN.
    one, two = numpy.asarray([before[:reached], after[:reached]], float)
    # The logarithms and the differences are symmetric about 0 if the switches have no effect.
    with numpy.errstate(divide="ignore", invalid="ignore"):
        change = numpy.log(two / one) if metric.is_ratio else two - one
    numbers = numpy.flatnonzero(numpy.isfinite(change))
    if not len(numbers) or len(numbers) < 0.9 * reached:
        return None
    one, two, change = one[numbers], two[numbers], change[numbers]
    p_value = sign_flips if metric.is_mean else wilcoxon
    sequential = min((p_value(change[numbers < pairs]) / looks.share(pairs) for pairs in looks.pairs
                      if pairs <= reached and numbers[0] < pairs), default=1.0)
    # Equivalence at an earlier look does not count, because later pairs may differ.
    _, low, high = interval(change, seed, metric.is_mean, 1 - alpha * share)
    effect = interval(change, seed, metric.is_mean)
    return Evidence(
        reached, Interval(*map(math.exp, effect)) if metric.is_ratio else effect,
        _middle(one, metric.is_mean), _middle(two, metric.is_mean), p_value(change), min(1.0, sequential),
        share > 0 and -metric.scaled_margin <= low and high <= metric.scaled_margin,
        float(numpy.std(change) if metric.is_mean else stats.median_abs_deviation(change, scale="normal")),
        tuple(change), tuple(two - one), metric.is_mean)


def holm(values: dict) -> dict:
    """p values adjusted by Holm's step-down method, which is valid even if the tests depend on each other."""
    adjusted, highest = {}, 0.0
    for rank, (name, p) in enumerate(sorted(values.items(), key=lambda item: item[1])):
        highest = max(highest, min(1.0, p * (len(values) - rank)))
        adjusted[name] = highest
    return adjusted
