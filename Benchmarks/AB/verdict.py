"""Verdicts about the rows of a plan: better, worse, equivalent or undecided."""
import math
from dataclasses import dataclass, replace

from scipy import stats

from evidence import Evidence, Looks, holm, margin
from metrics import METRICS, Metric
from plan import Claim, Row

# The probability of any false "better" or "worse" in the table. Four fifths belong to the metrics that a row is about.
ALPHA = 0.05
PRIMARY_SHARE = 0.8

BETTER, WORSE, EQUIVALENT, UNDECIDED, UNKNOWN = "better", "worse", "equivalent", "undecided", "not measured"


@dataclass(frozen=True)
class Verdict:
    """The verdict about one metric of a row."""

    word: str
    evidence: Evidence | None = None
    # Wilcoxon's, adjusted for the looks and by Holm's method for all hypotheses of its family.
    adjusted_p: float = 1.0
    # The number of pairs that would decide, if it is undecided.
    needed: int | None = None
    reason: str = ""


def judge(rows: list[Row], evidence: dict[tuple[str, str], Evidence], looks: Looks) -> dict[tuple[str, str], Verdict]:
    """Verdicts of all rows and metrics; a metric without evidence so far counts with p = 1.

    The row of the noise is judged by itself. The others must show a larger change than it did.
    """
    noise = [row for row in rows if row.is_noise]
    floor = {name: _floor(METRICS[name], evidence.get((row.name, name))) for row in noise for name in METRICS}
    found = {}
    for family in ([row for row in rows if not row.is_noise], noise):
        keys = [(row.name, name) for row in family for name in METRICS]
        primary = {(row.name, name) for row in family for name in (*row.primary, *(c.metric for c in row.claims))}
        adjusted: dict = {}
        clear: set = set()
        for part, alpha in ((primary, ALPHA * PRIMARY_SHARE), (set(keys) - primary, ALPHA * (1 - PRIMARY_SHARE))):
            # Metrics that the row does not have are no hypotheses.
            values = {key: evidence[key].sequential_p if key in evidence else 1.0 for key in part
                      if key in evidence or key in primary}
            found_here = holm(values)
            adjusted |= found_here
            clear |= {key for key, p in found_here.items() if p <= alpha}
        for key in keys:
            least = 0.0 if family is noise else floor.get(key[1], 0.0)
            verdict = _verdict(METRICS[key[1]], evidence.get(key), key in clear, least, looks)
            found[key] = replace(verdict, adjusted_p=adjusted.get(key, 1.0))
    return found


def _floor(metric: Metric, evidence: Evidence | None) -> float:
    """The change that the comparison of equal runs showed; the interval takes account of its chance."""
    return abs(_scale(metric, evidence.effect.median)) if evidence else 0.0


def _scale(metric: Metric, effect: float) -> float:
    return math.log(effect) if metric.is_ratio else effect


def _verdict(metric: Metric, evidence: Evidence | None, is_clear: bool, floor: float, looks: Looks) -> Verdict:
    if evidence is None:
        return Verdict(UNKNOWN)
    if evidence.is_equivalent:
        return Verdict(EQUIVALENT, evidence)
    change = _scale(metric, evidence.effect.median)
    if is_clear and evidence.effect.excludes(metric.no_change) and abs(change) > floor:
        return Verdict(BETTER if (change < 0) == metric.lower_is_better else WORSE, evidence)
    reason = "" if evidence.pairs >= looks.pairs[0] else f"only {evidence.pairs} of {looks.pairs[0]} pairs"
    if is_clear and abs(change) <= floor:
        reason = "within the noise of A/A"
    needed = _needed(metric, evidence, change)
    return Verdict(UNDECIDED, evidence, needed=needed and max(needed, looks.pairs[0]), reason=reason)


def _needed(metric: Metric, evidence: Evidence, change: float) -> int | None:
    """The number of pairs after which the interval would exclude no change, or lie within the margin.

    The standard error of a median is 1.2533 times that of a mean. An error of 5 % in ten hypotheses is assumed.
    """
    reach = float(stats.norm.ppf(1 - ALPHA / 20)) + float(stats.norm.ppf(0.8))
    distances = [abs(change), margin(metric) - abs(change)]
    pairs = [math.ceil((reach * 1.2533 * evidence.spread / distance) ** 2) for distance in distances if distance > 0]
    if not pairs or evidence.spread == 0:
        return None
    return max(min(pairs), evidence.pairs + 1)


def is_finished(row: Row, verdicts: dict[tuple[str, str], Verdict], looks: Looks, pairs: int) -> bool:
    """Whether the row needs no more pairs."""
    if pairs < looks.pairs[0]:
        return False
    if pairs >= looks.pairs[-1]:
        return True
    # All rows are compared with the noise, so its own verdict does not end it; the first look does.
    names = {*row.primary, *(claim.metric for claim in row.claims)}
    return row.is_noise or all(verdicts[row.name, name].word != UNDECIDED for name in names)


def claim_verdict(claim: Claim, verdict: Verdict) -> str:
    """Whether a claim is reproduced: "reproduced", "partly", "refuted" or "undecided"."""
    evidence = verdict.evidence
    if evidence is None:
        return UNKNOWN
    metric = METRICS[claim.metric]
    if claim.ratio is not None:
        value, interval = claim.ratio, evidence.effect
        none = 1.0
    else:
        value, interval, none = claim.difference, evidence.difference, 0.0
    claims_change = value != none
    if not claims_change:
        return {EQUIVALENT: "reproduced", BETTER: "reproduced", WORSE: "refuted"}.get(verdict.word, UNDECIDED)
    # The end of the interval that favours the claim.
    favourable = interval.low if value < none else interval.high
    reaches = favourable <= value if value < none else favourable >= value
    if verdict.word == BETTER and (value < none) == metric.lower_is_better:
        return "reproduced" if reaches else "partly"
    if verdict.word in (WORSE, EQUIVALENT):
        return "refuted"
    return UNDECIDED if reaches or evidence.pairs < 20 else "refuted"
