"""Verdicts about the rows of a plan: better, worse, equivalent or undecided."""
import math
from dataclasses import dataclass, replace

from scipy import stats

from evidence import Evidence, Looks, holm, margin
from metrics import METRICS, Metric
from plan import Row

# The probability of any false "better" or "worse" in the table. Four fifths belong to the metrics that a row is about.
ALPHA = 0.05
PRIMARY_SHARE = 0.8

BETTER, WORSE, EQUIVALENT, UNDECIDED, UNKNOWN = "better", "worse", "equivalent", "undecided", "not measured"


@dataclass(frozen=True)
class Verdict:
    """The verdict about one metric of a row."""

    word: str
    evidence: Evidence | None = None
    # The p value, adjusted for the looks and by Holm's method for all hypotheses of its family.
    adjusted_p: float = 1.0
    # The number of pairs that would decide, if it is undecided.
    needed: int | None = None
    reason: str = ""
    # The error that the simultaneous interval of this metric may have; 0 before the first look.
    error: float = 0.0
    # Frames that the row loses at the same time, as text; empty if it loses none.
    cost: str = ""


def judge(rows: list[Row], evidence: dict[tuple[str, str], Evidence], looks: Looks) -> dict[tuple[str, str], Verdict]:
    """Verdicts of all rows and metrics; a metric without evidence so far counts with p = 1.

    The row of the noise is one of the family. Rows of its workload must also show a larger change than it did.
    """
    keys = [(row.name, name) for row in rows for name in METRICS]
    primary = {(row.name, name) for row in rows for name in row.main_metrics}
    begun = {row for row, _ in evidence}
    adjusted: dict = {}
    limits: dict = {}
    for part, alpha in ((primary, ALPHA * PRIMARY_SHARE), (set(keys) - primary, ALPHA * (1 - PRIMARY_SHARE))):
        # Metrics that a measured row does not have are no hypotheses; a row without pairs may still have all.
        values = {key: evidence[key].sequential_p if key in evidence else 1.0 for key in part
                  if key in evidence or key in primary or key[0] not in begun}
        adjusted |= holm(values)
        limits |= {key: (alpha, alpha / len(values)) for key in values}
    found = {}
    for row in rows:
        floors = [] if row.is_noise else [other.name for other in rows if other.is_noise
                                          and other.workload == row.workload]
        cost = _cost(row, evidence)
        for name, metric in METRICS.items():
            key = row.name, name
            alpha, error = limits.get(key, (0.0, 0.0))
            floor = max((_size(metric, evidence.get((other, name))) for other in floors), default=0.0)
            verdict = _verdict(metric, evidence.get(key), adjusted.get(key, 1.0) <= alpha, floor, looks, cost)
            share = looks.share(evidence[key].pairs) if key in evidence else 0.0
            found[key] = replace(verdict, adjusted_p=adjusted.get(key, 1.0), error=error * share, cost=cost)
    return found


def _cost(row: Row, evidence: dict[tuple[str, str], Evidence]) -> str:
    """The frames that a row loses, if its interval of 95 % says that there are more of them."""
    drops, frames = evidence.get((row.name, "drops")), evidence.get((row.name, "frames"))
    if drops and drops.effect.low > 0:
        return f"{drops.effect.median:+.2f} points of frames lost"
    if not drops and frames and frames.effect.high < 1 - METRICS["frames"].margin:
        return f"{frames.before:.1f} → {frames.after:.1f} frames/s"
    return ""


def _size(metric: Metric, evidence: Evidence | None) -> float:
    """The change that the comparison of equal runs showed; the interval takes account of its chance."""
    return abs(_scale(metric, evidence.effect.median)) if evidence else 0.0


def _scale(metric: Metric, effect: float) -> float:
    return math.log(effect) if metric.is_ratio else effect


def _verdict(metric: Metric, evidence: Evidence | None, is_clear: bool, floor: float, looks: Looks,
             cost: str) -> Verdict:
    if evidence is None:
        return Verdict(UNKNOWN)
    if evidence.is_equivalent:
        return Verdict(EQUIVALENT, evidence)
    change = _scale(metric, evidence.effect.median)
    is_better = (change < 0) == metric.lower_is_better
    is_shown = is_clear and evidence.effect.excludes(metric.no_change)
    is_bought = is_better and metric.is_saved_by_losses and bool(cost)
    if is_shown and abs(change) > floor and not is_bought:
        return Verdict(BETTER if is_better else WORSE, evidence)
    reason = ""
    if is_shown:
        reason = f"it costs {cost}" if is_bought else "within the noise of A/A"
    elif evidence.pairs < looks.pairs[0]:
        reason = f"only {evidence.pairs} of {looks.pairs[0]} pairs"
    needed = None if is_shown else _needed(metric, evidence, change)
    return Verdict(UNDECIDED, evidence, needed=needed and max(needed, looks.pairs[0]), reason=reason)


def _needed(metric: Metric, evidence: Evidence, change: float) -> int | None:
    """The number of pairs after which the interval would exclude no change, or lie within the margin.

    The standard error of a median is 1.2533 times that of a mean. An error of 5 % in ten hypotheses is assumed.
    """
    reach = float(stats.norm.ppf(1 - ALPHA / 20)) + float(stats.norm.ppf(0.8))
    factor = reach * (1.0 if metric.is_mean else 1.2533)
    distances = [abs(change), margin(metric) - abs(change)]
    pairs = [math.ceil((factor * evidence.spread / distance) ** 2) for distance in distances if distance > 0]
    if not pairs or evidence.spread == 0:
        return None
    return max(min(pairs), evidence.pairs + 1)


def is_finished(row: Row, verdicts: dict[tuple[str, str], Verdict], looks: Looks, pairs: int) -> bool:
    """Whether the row needs no more pairs."""
    if pairs < looks.pairs[0]:
        return False
    if pairs >= looks.pairs[-1]:
        return True
    # The rows are compared with the noise, so its own verdict does not end it; the first look does.
    return row.is_noise or all(verdicts[row.name, name].word != UNDECIDED for name in row.main_metrics)
