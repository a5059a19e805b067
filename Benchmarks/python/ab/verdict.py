"""Verdicts about the rows of a plan and about its claims."""
import math
from dataclasses import dataclass, replace

from scipy import stats

from evidence import Evidence, holm
from plan import METRICS, Claim, Looks, Metric, Row

# Permitted probability of any false "better" or "worse" in the table, and part of it for the main metrics of the rows.
ALPHA = 0.05
PRIMARY_SHARE = 0.8

BETTER, WORSE, EQUIVALENT, UNDECIDED, UNKNOWN = "better", "worse", "equivalent", "undecided", "not measured"
REPRODUCED, COMPATIBLE, PARTLY, REFUTED = "reproduced", "compatible", "partly", "refuted"
TOO_SMALL, NOT_COMPARABLE = "too small to be seen here", "not comparable at this size"


@dataclass(frozen=True)
class Verdict:
    """The verdict about one metric in a row."""

    word: str
    evidence: Evidence | None = None
    adjusted_p: float = 1.0  # p value, adjusted for the looks, and by Holm's method for all hypotheses.
    needed: int | None = None  # Number of pairs that would decide an undecided metric.
    reason: str = ""
    error: float = 0.0  # Permitted error of the interval of `_simultaneous`; 0 before the first look.
    cost: str = ""  # Text about the frames that the row loses; empty if the row loses no frames.


def judge(rows: list[Row], evidence: dict[tuple[str, str], Evidence], looks: Looks) -> dict[tuple[str, str], Verdict]:
    """Verdicts about all rows and metrics. A metric without evidence has p = 1.

    Holm's method includes the hypotheses of the noise row. A verdict "better" or "worse" requires a larger change than
    that of the noise row with the same workload.
    """
    keys = {(row.name, name) for row in rows for name in METRICS}
    primary = {(row.name, name) for row in rows for name in row.main_metrics}
    begun = {row for row, _ in evidence}
    adjusted: dict = {}
    limits: dict = {}
    for part, alpha in ((primary, ALPHA * PRIMARY_SHARE), (keys - primary, ALPHA * (1 - PRIMARY_SHARE))):
        # Omit metrics without evidence if the row has begun, except main metrics. Other rows may still get all metrics.
        values = {key: evidence[key].sequential_p if key in evidence else 1.0 for key in part
                  if key in evidence or key in primary or key[0] not in begun}
        adjusted |= holm(values)
        limits |= {key: (alpha, alpha / len(values)) for key in values}
    found = {}
    for row, name in ((row, name) for row in rows for name in METRICS):
        key, metric, cost = (row.name, name), METRICS[name], _cost(row, evidence)
        known, p, (alpha, error) = evidence.get(key), adjusted.get(key, 1.0), limits.get(key, (0.0, 0.0))
        found[key] = Verdict(UNKNOWN, adjusted_p=p, cost=cost)
        if known:
            verdict = _verdict(metric, known, p <= alpha, _floor(row, rows, metric, evidence), looks, cost)
            found[key] = replace(verdict, adjusted_p=p, error=error * looks.share(known.pairs), cost=cost)
    return found


def _cost(row: Row, evidence: dict[tuple[str, str], Evidence]) -> str:
    """Text about the frames that a row loses, or an empty text if no whole 95 % interval shows a loss."""
    drops, frames = evidence.get((row.name, "drops")), evidence.get((row.name, "frames"))
    if drops and drops.effect.low > 0:
        return f"{drops.effect.median:+.2f} points of frames lost"
    if not drops and frames and frames.effect.high < 1 - METRICS["frames"].margin:
        return f"{frames.before:.1f} → {frames.after:.1f} frames/s"
    return ""


def _floor(row: Row, rows: list[Row], metric: Metric, evidence: dict[tuple[str, str], Evidence]) -> float:
    """The change that the noise row with the same workload shows; a change up to this amount counts as noise."""
    equal = [evidence.get((other.name, metric.name)) for other in rows
             if other.is_noise and not row.is_noise and other.workload == row.workload]
    return max((abs(metric.scaled(found.effect.median)) for found in equal if found), default=0.0)


def _verdict(metric: Metric, evidence: Evidence, is_clear: bool, floor: float, looks: Looks, cost: str) -> Verdict:
    if evidence.is_equivalent:
        return Verdict(EQUIVALENT, evidence)
    change = metric.scaled(evidence.effect.median)
    is_better = (change < 0) == metric.lower_is_better
    is_bought = is_better and metric.is_saved_by_losses and bool(cost)
    if is_clear and not evidence.effect.low <= (1.0 if metric.is_ratio else 0.0) <= evidence.effect.high:
        if abs(change) > floor and not is_bought:
            return Verdict(BETTER if is_better else WORSE, evidence)
        return Verdict(UNDECIDED, evidence, reason=f"it costs {cost}" if is_bought else "within the noise of A/A")
    first = looks.pairs[0]
    return Verdict(UNDECIDED, evidence, needed=_needed(metric, evidence, change, first),
                   reason=f"only {evidence.pairs} of {first} pairs" if evidence.pairs < first else "")


def _needed(metric: Metric, evidence: Evidence, change: float, first: int) -> int | None:
    """Estimated number of pairs after which the interval excludes "no change", or lies within the margin.

    The standard error of a median is 1.2533 times that of a mean. The estimate assumes ten hypotheses.
    """
    factor = sum(stats.norm.ppf([1 - ALPHA / 20, 0.8])) * (1.0 if metric.is_mean else 1.2533)
    distances = [abs(change), metric.scaled_margin - abs(change)]
    pairs = [math.ceil((factor * evidence.spread / distance) ** 2) for distance in distances if distance > 0]
    return max(min(pairs), evidence.pairs + 1, first) if pairs and evidence.spread else None


def claim_verdict(claim: Claim, verdict: Verdict, is_comparable: bool = True) -> str:
    """The verdict about a claim. `notes.method` explains the words to the reader of a report.

    A claim of no change is reproduced if the metric is equivalent or better. The claim is refuted if the metric is
    worse and the whole interval is beyond the margin.
    """
    evidence, metric, is_ratio = verdict.evidence, METRICS[claim.metric], claim.ratio is not None
    if evidence is None:
        return UNKNOWN
    if not is_comparable:
        return NOT_COMPARABLE
    low, high = _simultaneous(claim, verdict)
    value, none = (claim.ratio, 1.0) if is_ratio else (claim.difference, 0.0)
    if value == none:
        if verdict.word in (EQUIVALENT, BETTER):
            return REPRODUCED
        room = metric.margin if is_ratio else metric.scaled_margin
        return REFUTED if verdict.word == WORSE and (low > none + room or high < none - room) else UNDECIDED
    contains, is_less = low <= value <= high, value < none
    if verdict.word == BETTER and is_less == metric.lower_is_better:
        middle = (evidence.effect if is_ratio else evidence.difference).median
        if middle <= value if is_less else middle >= value:
            return REPRODUCED
        return COMPATIBLE if contains else PARTLY
    if not contains:
        # An interval that contains only larger changes than the claimed change does not refute the claim.
        return UNDECIDED if (high < value if is_less else low > value) else REFUTED
    if is_ratio:
        is_small = abs(math.log(value)) <= metric.scaled_margin
    else:
        is_small = abs(value) <= (metric.margin * evidence.before if metric.is_ratio else metric.margin)
    return TOO_SMALL if verdict.error > 0 and (verdict.word == EQUIVALENT or is_small) else UNDECIDED


def _simultaneous(claim: Claim, verdict: Verdict) -> tuple[float, float]:
    """The interval, on the scale of the claim, that holds simultaneously for all rows, metrics and looks."""
    if verdict.error <= 0:
        return -math.inf, math.inf
    is_ratio = claim.ratio is not None
    low, high = verdict.evidence.sure(verdict.error, is_difference=not is_ratio and METRICS[claim.metric].is_ratio)
    # For ratios, exp(-inf) is 0 and exp(inf) is inf.
    return (math.exp(low), math.exp(high)) if is_ratio else (low, high)
