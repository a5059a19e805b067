"""Verdicts about claims: what a plan says that a switch gains, against what was measured."""
import math

from evidence import Interval, margin
from metrics import METRICS
from plan import Claim
from verdict import BETTER, EQUIVALENT, UNDECIDED, UNKNOWN, WORSE, Verdict

REPRODUCED, COMPATIBLE, PARTLY, REFUTED = "reproduced", "compatible", "partly", "refuted"
TOO_SMALL, NOT_COMPARABLE = "too small to be seen here", "not comparable at this size"


def measured(claim: Claim, verdict: Verdict) -> Interval:
    """The change with its interval of 95 % on the scale of the claim."""
    assert verdict.evidence is not None
    return verdict.evidence.effect if claim.ratio is not None else verdict.evidence.difference


def simultaneous(claim: Claim, verdict: Verdict) -> tuple[float, float]:
    """The interval on the scale of the claim that holds for all rows, metrics and looks at once."""
    metric = METRICS[claim.metric]
    assert verdict.evidence is not None
    if verdict.error <= 0:
        return -math.inf, math.inf
    is_difference = claim.difference is not None and metric.is_ratio
    low, high = verdict.evidence.sure(verdict.error, is_difference)
    if claim.ratio is None:
        return low, high
    return (0.0 if low == -math.inf else math.exp(low)), (math.inf if high == math.inf else math.exp(high))


def claim_verdict(claim: Claim, verdict: Verdict, is_comparable: bool = True) -> str:
    """The verdict about a claim.

    - reproduced: the switch is better, and the measured change is at least the claimed one;
    - compatible: the switch is better by less, but the simultaneous interval contains the claimed change;
    - partly: the switch is better, and the simultaneous interval excludes a change as large as claimed;
    - refuted: the switch is not better, and the simultaneous interval excludes the claimed change;
    - too small to be seen here: the claimed change lies within the margin of "equivalent", and is not excluded;
    - undecided: none of these.

    A claim of no change is reproduced if the metric is equivalent or better, and refuted if the whole interval is
    beyond the margin.
    """
    evidence = verdict.evidence
    if evidence is None:
        return UNKNOWN
    if not is_comparable:
        return NOT_COMPARABLE
    low, high = simultaneous(claim, verdict)
    metric = METRICS[claim.metric]
    value, none = (claim.ratio, 1.0) if claim.ratio is not None else (claim.difference, 0.0)
    if value == none:
        return _no_change(verdict, low, high, claim)
    contains = low <= value <= high
    is_less = value < none
    if verdict.word == BETTER and is_less == metric.lower_is_better:
        middle = measured(claim, verdict).median
        if middle <= value if is_less else middle >= value:
            return REPRODUCED
        return COMPATIBLE if contains else PARTLY
    if not contains:
        # A larger change than claimed is no refutation; it is merely not shown yet.
        return UNDECIDED if (high < value if is_less else low > value) else REFUTED
    if claim.ratio is not None:
        is_small = abs(math.log(value)) <= margin(metric)
    else:
        is_small = abs(value) <= (metric.margin * evidence.before if metric.is_ratio else metric.margin)
    if verdict.error > 0 and (verdict.word == EQUIVALENT or is_small):
        return TOO_SMALL
    return UNDECIDED


def _no_change(verdict: Verdict, low: float, high: float, claim: Claim) -> str:
    metric = METRICS[claim.metric]
    if verdict.word in (EQUIVALENT, BETTER):
        return REPRODUCED
    one = 1.0 if claim.ratio is not None else 0.0
    room = margin(metric) if claim.ratio is None else metric.margin
    return REFUTED if verdict.word == WORSE and (low > one + room or high < one - room) else UNDECIDED
