"""Makes the tables of all reports as rows of text, and formats cells. The first row of a table is the heading."""
import math
import statistics
from collections.abc import Iterable

from evidence import Evidence, Interval
from heat import HeatModel
from plan import METRICS, Claim, Looks, Metric, Row
from verdict import BETTER, COMPATIBLE, PARTLY, REPRODUCED, UNDECIDED, Verdict, claim_verdict

Table = list[list[str]]
NOTHING = "–"
# Time constants of the heat model in minutes.
CONSTANTS = (5.0, 10.0, 15.0, 20.0, 40.0)
# Temperature in °C at which the simulated machine throttles, and `thermalcaps` takes its first step.
STEP = 80.0
# Minimum length of the part of a run from which a load is computed, in minutes.
SHORTEST = 1.0


def number(value: float, digits: int, sign: str = "") -> str:
    return f"{value:{sign}.{digits}f}".replace("-", "−")


def change(metric: Metric, value: float) -> str:
    """Formats a ratio in percent, or a difference in its unit."""
    if metric.is_ratio:
        percent = 100 * (value - 1)
        return f"{number(percent, 0 if abs(percent) >= 100 else 1, '+')} %"
    return f"{number(value, metric.digits, '+')} {'points' if metric.unit == '%' else metric.unit}"


def effect(metric: Metric, interval: Interval) -> str:
    """Formats the change of the pairs with its interval."""
    middle, low, high = (change(metric, value) for value in interval)
    return f"{middle} [{low}, {high}]"


def figure(metric: Metric, value: float) -> str:
    """Formats a figure. A figure at the ceiling of its metric is shown as a lower bound."""
    is_bound = metric.ceiling is not None and value >= metric.ceiling
    return f"≥ {metric.ceiling:g}" if is_bound else number(value, metric.digits)


def sides(metric: Metric, evidence: Evidence) -> str:
    """Formats the figures of both sides."""
    return f"{figure(metric, evidence.before)} → {figure(metric, evidence.after)} {metric.unit}"


def slowness(slow: dict[str, float]) -> str:
    """Formats when and by how much the receiver is slow."""
    return f"{slow['pause'] * 1000:g} ms a frame in {slow['span']:g} of {slow['period']:g} s"


def more_time(verdict: Verdict, looks: Looks, pairs: int, seconds_a_pair: float) -> str:
    """Formats the number of pairs that may decide an undecided metric of a row with `pairs` pairs, and their time."""
    if verdict.word != UNDECIDED or verdict.needed is None:
        return NOTHING
    wanted = next((look for look in looks.pairs if look >= verdict.needed and look > pairs), verdict.needed)
    if wanted <= pairs:
        # The row has reached its last look without a decision, so the estimate `needed` was too small.
        return f"more than {pairs} pairs"
    minutes = (wanted - pairs) * seconds_a_pair / 60
    time = f"{max(1, minutes):.0f} min" if minutes < 120 else f"{minutes / 60:.0f} h"
    return f"{wanted} pairs in all, {time} more"


def capability(results) -> Table:
    table = [["workload, everything off", "frames encoded", "CPU", "encoder", "age P50", "age P95", "oldest at the end",
              "runs in real time", "real time"]]
    for name, found in results.capability.items():
        title = results.plan.workloads[name]["title"]
        if "cpu" not in found:
            table.append([title, *[NOTHING] * 7, f"no: {found.get('error', '')}"])
            continue
        ages = [f"{found[name]:.0f} ms" if name in found else NOTHING for name in ("age-p50", "age-p95")]
        table.append([title, f"{found['frames']:.1f}/s", f"{found['cpu']:.2f} cores",
                      f"{found['bitrate']:.1f} Mbit/s", *ages, f"{found['oldest']:.0f} ms",
                      f"{found['carried-runs']} of {found['runs']}", "yes" if found["carried"] else "no"])
    return table


def claims(results) -> Table:
    """The claims of the plan, one per row, and the claims that cannot be measured."""
    table = [["switch", "claim", "measured off → on", "change, 95 % interval", "p, adjusted p", "pairs", "verdict",
              "the claim is"]]
    verdicts = results.session.verdicts()
    for row in results.session.rows:
        for claim in row.claims:
            metric, verdict = METRICS[claim.metric], verdicts[row.name, claim.metric]
            figures = [*[NOTHING] * 3, "0"]
            if found := verdict.evidence:
                figures = [sides(metric, found), _change(claim, metric, found), _p(verdict), str(found.pairs)]
            table.append([row.title, f"{metric.title}: {claim.text}", *figures, _word(verdict),
                          _claim_words(results, row, claim, verdict)])
    return table + [[name, reason["claim"], *[NOTHING] * 4, "not measurable here", reason["reason"]]
                    for name, reason in results.plan.data.get("not-measurable", {}).items()]


def _claim_words(results, row: Row, claim: Claim, verdict: Verdict) -> str:
    """The verdict about a claim with its cost, or the reason why it was not measured."""
    if verdict.evidence is None:
        if failed := results.session.failed[row.name]:
            return f"not measured: {failed[-1]['error']}"
        is_short = claim.metric == "age-p99" and results.session.pairs(row)
        return "not measured" + (": P99 requires 100 frames after the warm-up" if is_short else "")
    words = claim_verdict(claim, verdict, results.plan.is_comparable(claim, row.workload))
    is_gain = words in (REPRODUCED, COMPATIBLE, PARTLY) or verdict.word == BETTER
    return f"{words}, at the cost of {verdict.cost}" if verdict.cost and is_gain else words


def _change(claim: Claim, metric: Metric, evidence: Evidence) -> str:
    """The change in the unit of the claim."""
    if claim.difference is None or not metric.is_ratio:
        return effect(metric, evidence.effect)
    middle, low, high = (number(value, metric.digits, "+") for value in evidence.difference)
    return f"{middle} [{low}, {high}] {metric.unit}"


def _p(verdict: Verdict) -> str:
    return ", ".join("< 0.0001" if p < 0.0001 else f"{p:.4f}" for p in (verdict.evidence.p, verdict.adjusted_p))


def _word(verdict: Verdict) -> str:
    return f"**{verdict.word}**" + (f" ({verdict.reason})" if verdict.reason else "")


def shown(results, row: Row, names: Iterable[str] = METRICS) -> list[tuple[Metric, Verdict]]:
    """The metrics of a row that have evidence and are meaningful for the row, with their verdicts.

    Only rows about heat measure the time until the limit. Their runs end with frames in flight, so losses are unknown.
    """
    hidden, verdicts = ("drops", "packets") if row.is_heated else ("heat",), results.session.verdicts()
    return [(METRICS[name], verdicts[row.name, name]) for name in names
            if verdicts[row.name, name].evidence and name not in hidden]


def every_metric(results, row: Row) -> Table:
    """All metrics of one row."""
    return [["metric", "off → on", "change, 95 % interval", "p, adjusted p", "verdict"],
            *([metric.title, sides(metric, verdict.evidence), effect(metric, verdict.evidence.effect), _p(verdict),
               _word(verdict)] for metric, verdict in shown(results, row))]


def overview(results) -> Table:
    """All rows and their main metrics."""
    names = ["cpu-frame", "cpu", "age-p50", "age-p95", "age-p99", "drops", "allocations", "memory", "switches",
             "frames", "heat"]
    table = [["row", "pairs", *(METRICS[name].title for name in names)]]
    for row in results.session.rows:
        cells = {metric.name: f"{change(metric, verdict.evidence.effect.median)} {verdict.word}"
                 for metric, verdict in shown(results, row, names)}
        table.append([row.title, str(results.session.pairs(row)), *(cells.get(name, NOTHING) for name in names)])
    return table


def undecided(results) -> Table:
    """The undecided main metrics of each row, and the time that a decision would take."""
    table, session = [["row", "metric", "change, 95 % interval", "pairs", "would need about"]], results.session
    for row in (row for row in session.rows if not row.is_noise):
        pairs = session.pairs(row)
        seconds = sum(block["seconds"] for block in session.blocks[row.name]) / max(1, pairs)
        table += [[row.title, metric.title, effect(metric, verdict.evidence.effect), str(verdict.evidence.pairs),
                   more_time(verdict, session.looks, pairs, seconds)]
                  for metric, verdict in shown(results, row, row.main_metrics) if verdict.word == UNDECIDED]
    return table


def runs(results) -> Table:
    """Length of the runs of each row, and failed runs."""
    table = [["row", "frames of a run", "of them warm-up", "slow receiver", "frames sent, lost",
              "packets sent, lost on the loopback", "failed runs off, on"]]
    for row in results.session.rows:
        settings, failed = results.runner.row_settings(row, row.after), results.session.failed[row.name]
        slow, heat = settings.get("slow"), settings.get("heat")
        off, on = (sum(one["after"] == side for one in failed) for side in (False, True))
        table.append([
            row.title, "until the limit of heat" if heat else str(settings["frames"]), str(settings["warm-frames"]),
            slowness(slow) if slow else "never",
            # A run that ends at the limit has frames and packets in flight, which must not count as lost.
            *(NOTHING if heat else _lost(results.session.runs(row), name) for name in ("frames", "packets")),
            f"{off}, {on}" + (f": {failed[-1]['error']}" if failed else "")])
    return table


def _lost(runs_of_row: list[dict], name: str) -> str:
    pairs = [run[name] for run in runs_of_row if name in run]
    return f"{sum(pair[0] for pair in pairs)}, {sum(pair[0] - pair[1] for pair in pairs)}" if pairs else NOTHING


def cross_check(results) -> list[str]:
    """A sentence for each percentile: perfmonitor's value divided by the exact value of the same frames."""
    found: dict[str, list[float]] = {}
    for run in (run for row in results.session.rows for run in results.session.runs(row)):
        for name, (monitor, exact) in run.get("monitor", {}).items():
            if exact > 0:
                found.setdefault(name, []).append(monitor / exact)
    return [
        f"perfmonitor's {name.removeprefix('age-').upper()} divided by the exact one of the same frames, in "
        f"{len(values)} runs: median {statistics.median(values):.3f}, from {min(values):.3f} to {max(values):.3f}."
        for name, values in found.items()]


def fidelity(results) -> Table:
    """Whether the pictures of both sides are equal."""
    titles = {row.name: row.title for row in results.session.rows}
    table = [["row", "frames", "MD5 before the encoder", "MD5 of the encoded frames", "PSNR of the decoded luma"]]
    for found in (found for found in results.fidelity if found["row"] in titles):
        title = titles[found["row"]]
        if "error" in found:
            table.append([title, *[NOTHING] * 3, f"not compared: {found['error']}"])
            continue
        table.append([title, " and ".join(map(str, dict.fromkeys(found["frames"]))),
                      *("equal" if found[name] else "**different**" for name in ("raw", "coded")),
                      " → ".join(NOTHING if value is None else f"{value:.2f} dB" for value in found["psnr"])])
    return table


def heat(results) -> Table:
    """Minutes until the limit for other time constants, at the loads of the rows whose simulated machine gets hot.

    The idle power has no influence, because K is calibrated with it, so it cancels out.
    """
    table = [["row", "load of the simulated machine", *(f"τ = {tau:g} min" for tau in CONSTANTS)]]
    models = [HeatModel(**{**results.plan.data.get("heat-model", {}), "tau": tau}) for tau in CONSTANTS]
    for row in (row for row in results.session.rows if row.is_heated):
        loads = [[load_of(run.get("heat", ()), results.runner.model) for run in results.session.runs(row, side)]
                 for side in (False, True)]
        known = [[load for load in side if load is not None] for side in loads]
        if not all(known):
            continue
        off, on = map(statistics.median, known)
        for side, words, later in (("off", f"{off:.2f}", off), ("on", f"{off:.2f}, from {STEP:g} °C on {on:.2f}", on)):
            times = (model.minutes_between(model.start, STEP, off) + model.minutes_between(STEP, model.limit, later)
                     for model in models)
            table.append([f"{row.title}, {side}", words, *(figure(METRICS["heat"], time) for time in times)])
    return table


def load_of(curve: list[tuple[float, float]], model: HeatModel) -> float | None:
    """The constant load, relative to that with everything off, that heats the machine as the run did above `STEP`."""
    hot = next((point for point in curve if point[1] >= STEP), None)
    if hot is None or curve[-1][0] - hot[0] < SHORTEST:
        return None
    decay = math.exp(-(curve[-1][0] - hot[0]) / model.tau)
    end = (curve[-1][1] - hot[1] * decay) / (1 - decay)
    return ((end - model.ambient) / model.rise - model.idle) / (1 - model.idle)
