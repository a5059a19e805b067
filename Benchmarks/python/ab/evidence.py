"""Statistics of pairs of runs.

A row is examined only after certain numbers of pairs, the looks. Each look k has a share w_k of the permitted error;
the shares add up to 1. The p value of the row is the minimum of p_k / w_k over the looks so far. By the union bound, it
is valid at whatever look the row stops. Holm's method over all rows bounds the probability of any false verdict.

The statistics use only the pairs up to the last look that was reached. Later pairs wait for the next look. A pair in
which the figure is missing still counts as a pair of the row, so that the looks of all metrics are the same.
"""
import warnings
import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache

import numpy
from scipy import stats

from plan import Looks, Metric

BOOTSTRAPS = 10_000


@dataclass(frozen=True)
class Interval:
    """A median, and the bounds of its confidence interval."""

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
    sequential_p: float  # p value that is valid at whatever look the row stops.
    is_equivalent: bool  # The interval lies within the margin, at a level that is corrected for the looks.
    spread: float
    changed: tuple[float, ...] = ()  # Change of each pair: logarithm of the ratio, or difference.
    apart: tuple[float, ...] = ()  # Difference of each pair in the unit of the metric.
    is_mean: bool = False

    @cached_property
    def difference(self) -> Interval:
        """The difference with its 95 % interval, in the unit of the metric."""
        found = centres(self.apart, "difference", self.is_mean)
        return Interval(_middle(self.apart, self.is_mean), *bounds(found, 0.95))

    def sure(self, error: float, is_difference: bool) -> tuple[float, float]:
        """The interval that misses the true change with at most the probability `error`, on the scale of the pairs."""
        values = self.apart if is_difference else self.changed
        return bounds(centres(values, "sure", True), 1 - error) if self.is_mean else order_statistics(values, error)


def order_statistics(values: Sequence[float], error: float) -> tuple[float, float]:
    """The interval of a median by the binomial distribution, exact for any distribution of the values.

    A bootstrap has too few values in its tails for the small permitted errors that many claims require.
    """
    ordered = numpy.sort(values)
    # The median is below the k-th smallest value only if at most k - 1 values are below the median.
    cut = int(stats.binom.ppf(error / 2, len(ordered), 0.5))
    return (float(ordered[cut - 1]), float(ordered[-cut])) if cut else (-float("inf"), float("inf"))


@lru_cache(maxsize=512)
def centres(numbers: tuple[float, ...], seed: str, is_mean: bool = False) -> numpy.ndarray:
    """Medians of bootstrap samples of the pairs, or means of bootstrap samples of blocks of two pairs."""
    random = _generator(seed)
    if is_mean:
        # Blocks of two pairs are sampled, because a disturbance of one pair often affects the next pair too.
        blocks = [numbers[index:index + 2] for index in range(0, len(numbers), 2)]
        sums, sizes = numpy.asarray([sum(block) for block in blocks]), numpy.asarray([len(block) for block in blocks])
        drawn = random.integers(0, len(blocks), size=(BOOTSTRAPS, len(blocks)))
        return sums[drawn].sum(axis=1) / sizes[drawn].sum(axis=1)
    values = numpy.asarray(numbers, numpy.float32)
    drawn = values[random.integers(0, len(values), size=(BOOTSTRAPS, len(values)))]
    return numpy.median(drawn, axis=1, overwrite_input=True)


def _generator(seed: str) -> numpy.random.Generator:
    return numpy.random.default_rng(zlib.crc32(seed.encode()))


def _middle(values: Sequence[float], is_mean: bool) -> float:
    return float(numpy.mean(values) if is_mean else numpy.median(values))


def bounds(found: numpy.ndarray, level: float) -> tuple[float, float]:
    tail = (1 - level) / 2
    low, high = numpy.quantile(found, [tail, 1 - tail])
    return float(low), float(high)


def wilcoxon(change: numpy.ndarray) -> float:
    """The two-sided p value of Wilcoxon's signed-rank test; 1 if no pair differs."""
    if not numpy.any(change):
        return 1.0
    magnitudes = numpy.abs(change)
    is_exact = len(numpy.unique(magnitudes)) == len(change) and numpy.all(magnitudes > 0)
    with warnings.catch_warnings():
        # SciPy warns if few pairs differ. The p value is then large.
        warnings.simplefilter("ignore")
        return float(stats.wilcoxon(change, zero_method="pratt", correction=not is_exact,
                                    method="exact" if is_exact else "approx").pvalue)


def sign_flips(change: numpy.ndarray) -> float:
    """The two-sided p value of the mean: the share of random signs of the pairs with a mean at least as far from 0.

    Wilcoxon's test is about the median, which is 0 if most pairs are equal.
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


def examine(metric: Metric, before: list[float | None], after: list[float | None], looks: Looks, alpha: float,
            seed: str) -> Evidence | None:
    """The statistics at the last look; None if the figure is missing in more than a tenth of the pairs."""
    reached = looks.reached(len(before))
    both = [(number, a, b) for number, (a, b) in enumerate(zip(before[:reached], after[:reached]))
            if a is not None and b is not None and (not metric.is_ratio or min(a, b) > 0)]
    if not both or len(both) < 0.9 * reached:
        return None
    numbers, one, two = (numpy.asarray(column, float) for column in zip(*both))
    # On this scale, changes are symmetric about 0 if the switches have no effect.
    change = numpy.log(two / one) if metric.is_ratio else two - one
    found, centre = centres(tuple(change), seed, metric.is_mean), _middle(change, metric.is_mean)
    p_value = sign_flips if metric.is_mean else wilcoxon
    sequential = min((p_value(part) / share for pairs, share in zip(looks.pairs, looks.shares)
                      if pairs <= reached and len(part := change[numbers < pairs])), default=1.0)
    # Equivalence at an earlier look is not kept, because pairs that were equal then may differ now.
    low, high = bounds(found, 1 - alpha * looks.share(reached))
    is_equivalent = looks.share(reached) > 0 and -metric.scaled_margin <= low and high <= metric.scaled_margin
    effect = [float(numpy.exp(value)) if metric.is_ratio else value for value in (centre, *bounds(found, 0.95))]
    spread = numpy.std(change) if metric.is_mean else 1.4826 * numpy.median(numpy.abs(change - numpy.median(change)))
    return Evidence(reached, Interval(*effect), _middle(one, metric.is_mean), _middle(two, metric.is_mean),
                    p_value(change), min(1.0, sequential), is_equivalent, float(spread), tuple(change),
                    tuple(two - one), metric.is_mean)


def holm(values: dict) -> dict:
    """p values adjusted by Holm's step-down method, which is valid even if the tests depend on each other."""
    adjusted, highest = {}, 0.0
    for rank, (name, p) in enumerate(sorted(values.items(), key=lambda item: item[1])):
        highest = max(highest, min(1.0, p * (len(values) - rank)))
        adjusted[name] = highest
    return adjusted
