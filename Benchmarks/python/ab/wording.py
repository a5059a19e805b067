"""Numbers, intervals and verdicts as text."""
from evidence import Evidence, Interval, Looks
from metrics import Metric
from verdict import UNDECIDED, Verdict

NOTHING = "–"


def number(value: float, digits: int) -> str:
    return f"{value:.{digits}f}".replace("-", "−")


def percent(ratio: float) -> str:
    """A ratio as a change."""
    change = 100 * (ratio - 1)
    return (f"{change:+.0f} %" if abs(change) >= 100 else f"{change:+.1f} %").replace("-", "−")


def change(metric: Metric, value: float) -> str:
    if metric.is_ratio:
        return percent(value)
    unit = "points" if metric.unit == "%" else metric.unit
    return f"{value:+.{metric.digits}f} {unit}".replace("-", "−")


def effect(metric: Metric, interval: Interval) -> str:
    """The change of the pairs with its interval."""
    return f"{change(metric, interval.median)} [{change(metric, interval.low)}, {change(metric, interval.high)}]"


def sides(metric: Metric, evidence: Evidence) -> str:
    return f"{_bounded(metric, evidence.before)} → {_bounded(metric, evidence.after)} {metric.unit}"


def _bounded(metric: Metric, value: float) -> str:
    """A figure; one that reached the ceiling of its metric is a lower bound."""
    is_bound = metric.ceiling is not None and value >= metric.ceiling
    return f"≥ {metric.ceiling:g}" if is_bound else number(value, metric.digits)


def difference(metric: Metric, interval: Interval) -> str:
    """The difference in the unit of the metric, with its interval."""
    low, middle, high = (f"{value:+.{metric.digits}f}".replace("-", "−")
                         for value in (interval.low, interval.median, interval.high))
    return f"{middle} [{low}, {high}] {metric.unit}"


def slowness(slow: dict[str, float]) -> str:
    """When the receiver is slow."""
    return f"{slow['pause'] * 1000:g} ms a frame in {slow['span']:g} of {slow['period']:g} s"


def p_value(p: float) -> str:
    return "< 0.0001" if p < 0.0001 else f"{p:.4f}"


def more_time(verdict: Verdict, looks: Looks, pairs: int, seconds_a_pair: float) -> str:
    """How long an undecided metric of a row with some pairs would take, until the look that may decide it."""
    if verdict.word != UNDECIDED or verdict.needed is None:
        return NOTHING
    wanted = next((look for look in looks.pairs if look >= verdict.needed and look > pairs), verdict.needed)
    if wanted <= pairs:
        # The estimate was too small: the last look was reached without a decision.
        return f"more than {pairs} pairs"
    minutes = (wanted - pairs) * seconds_a_pair / 60
    time = f"{max(1, minutes):.0f} min" if minutes < 120 else f"{minutes / 60:.0f} h"
    return f"{wanted} pairs in all, {time} more"
