"""Decides whether the measured queue is worse than the better of the two others."""
import statistics
from dataclasses import dataclass

from row import HEALTHY, SLOW

MEASURED, LEAKY, PLAIN = "Q", "leaky", "queue"


@dataclass
class Verdict:
    """Result of the comparison for one row, with the reason."""

    lost: bool
    words: str


def score(row, run):
    """Number of counted frames of one run: rendered by a sink, correctly decoded, or processed by the consumer in time.

    Rows with a slow consumer count only frames that arrive within the nominal time, because a queue that falls behind
    delivers the rest later. Rows with a server also do, because a server has no EOS. Rows with `most_behind` count only
    frames that are recent when they arrive.
    """
    if row.most_behind is not None:
        return run["fresh"]
    in_window = row.kind == SLOW or row.is_endless()
    if row.decoded:
        return run.get("decodable_in_window" if in_window else "decodable", 0)
    return run["in_window"] if in_window else run.get("shown", run["out"])


def judge(row, runs, is_short=False):
    """Compares the medians of all runs. `runs` maps each queue to the figures of its runs."""
    reasons = _failures(runs) or _frames(row, runs, is_short) + _latency(row, runs, is_short)
    if reasons and row.conceded:
        return Verdict(False, f"conceded ({', '.join(reasons)}): {row.conceded}")
    if reasons:
        return Verdict(True, "LOST: " + ", ".join(reasons))
    better = median(row, runs[MEASURED]) > _best(row, runs)[0] + _noise(row, runs, is_short)
    bounded = ", latency bounded" if row.kind == SLOW else ""
    return Verdict(False, ("better" if better else "equal") + bounded + _warned(runs))


def median(row, runs):
    return statistics.median(score(row, run) for run in runs)


def _warned(runs):
    """Text about warnings that only the pipeline of the measured queue posts. Such warnings do not count as a loss."""
    warned = {name: any("warning" in run["messages"] for run in figures) for name, figures in runs.items()}
    return ", but warns" if warned[MEASURED] and not warned[LEAKY] and not warned[PLAIN] else ""


def _failures(runs):
    """Results of runs with the measured queue that did not reach EOS, if runs with another queue did."""
    others = [run["result"] for name in (LEAKY, PLAIN) for run in runs[name]]
    if "ended" not in others:
        return [f"not measured: with every queue it {others[0]}"]
    return sorted({run["result"] for run in runs[MEASURED]} - {"ended"})


def _frames(row, runs, is_short):
    mine, (best, name) = median(row, runs[MEASURED]), _best(row, runs)
    wanted = best
    if row.enough is not None:
        wanted = min(best, row.enough * runs[MEASURED][0]["nominal"])
        name = name if wanted == best else "enough"
    if mine >= wanted - _noise(row, runs, is_short):
        return []
    return [f"{mine:g} frames, {name} {wanted:g}"]


def _best(row, runs):
    return max((median(row, runs[name]), name) for name in (LEAKY, PLAIN))


def _noise(row, runs, is_short):
    """Number of frames that may be missing: 2 %, or up to 10 % if the runs of the better queue differ that much.

    Slow rows allow 3 %, because a consumer that always gets a recent frame occasionally waits for this frame.
    """
    best, name = _best(row, runs)
    if is_short:
        return max(2, 0.25 * best)
    scores = [score(row, run) for run in runs[name]]
    least = max(2, 0.03 * best) if row.kind == SLOW else max(1, 0.02 * best)
    return max(least, min(max(scores) - min(scores), 0.1 * best))


def _latency(row, runs, is_short):
    """Checks P95 of the latency of slow rows against the bound of the row.

    The short version runs at the same time as other load. It therefore uses the latency in frames, and multiplies the
    bound by the slowdown of the runs. The factor is at most 6, because a plain queue would reach ten times the bound.
    """
    if row.kind == HEALTHY:
        return []
    key, bound, unit = "p95", row.latency_bound(), "ms"
    if is_short:
        slowdown = min(6, statistics.median(run.get("slowdown", 1) for run in runs[MEASURED]))
        key, bound, unit = "lag", (row.latency_bound() / 1000 * row.fps + 3) * slowdown, "frames"
    values = [run[key] for run in runs[MEASURED] if run.get(key) is not None]
    if not values:
        return ["no frame whose latency is known"]
    value = statistics.median(values)
    return [] if value <= bound else [f"P95 {value:.0f} > {bound:.0f} {unit}"]
