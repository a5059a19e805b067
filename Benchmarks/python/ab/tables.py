"""The tables of all reports, as rows of text; the first row is the heading."""
import wording
from claims import claim_verdict
from fidelity_words import pictures
from metrics import METRICS
from plan import Claim, Row
from verdict import UNDECIDED, UNKNOWN, Verdict

Table = list[list[str]]


def capability(results) -> Table:
    table = [["workload, everything off", "frames encoded", "CPU", "encoder", "age P50", "age P95", "oldest at the end",
              "runs in real time", "real time"]]
    for name, found in results.capability.items():
        title = results.plan.workloads[name]["title"]
        if "cpu" not in found:
            table.append([title, *[wording.NOTHING] * 7, f"no: {found.get('error', '')}"])
            continue
        ages = [f"{found[name]:.0f} ms" if name in found else wording.NOTHING for name in ("age-p50", "age-p95")]
        table.append([title, f"{found['frames']:.1f}/s", f"{found['cpu']:.2f} cores",
                      f"{found['bitrate']:.1f} Mbit/s", *ages, f"{found['oldest']:.0f} ms",
                      f"{found['carried-runs']} of {found['runs']}", "yes" if found["carried"] else "no"])
    return table


def claims(results) -> Table:
    """A row for each claim of the plan."""
    table = [["switch", "claim", "measured off → on", "change, 95 % interval", "p, adjusted p", "pairs", "verdict",
              "the claim is"]]
    verdicts = results.session.verdicts()
    for row in results.session.rows:
        for claim in row.claims:
            metric, verdict = METRICS[claim.metric], verdicts[row.name, claim.metric]
            evidence = verdict.evidence
            table.append([
                row.title, f"{metric.title}: {claim.text}",
                wording.sides(metric, evidence) if evidence else wording.NOTHING,
                _change(claim, metric, evidence), _p(verdict), str(evidence.pairs) if evidence else "0",
                _word(verdict), claim_words(results, row, claim, verdict)])
    for name, reason in results.plan.not_measurable.items():
        table.append([name, reason["claim"], *[wording.NOTHING] * 4, "not measurable here", reason["reason"]])
    return table


def claim_words(results, row: Row, claim: Claim, verdict: Verdict) -> str:
    """The verdict about a claim, with what it costs."""
    if verdict.evidence is None:
        return _why(results, row, METRICS[claim.metric])
    words = claim_verdict(claim, verdict, results.plan.is_comparable(claim, row.workload))
    is_gain = words in ("reproduced", "compatible", "partly") or verdict.word == "better"
    return f"{words}, at the cost of {verdict.cost}" if verdict.cost and is_gain else words


def _change(claim, metric, evidence) -> str:
    if evidence is None:
        return wording.NOTHING
    if claim.difference is not None and metric.is_ratio:
        return wording.difference(metric, evidence.difference)
    return wording.effect(metric, evidence.effect)


def _p(verdict) -> str:
    if verdict.evidence is None:
        return wording.NOTHING
    return f"{wording.p_value(verdict.evidence.p)}, {wording.p_value(verdict.adjusted_p)}"


def _word(verdict) -> str:
    return f"**{verdict.word}**" + (f" ({verdict.reason})" if verdict.reason else "")


def _why(results, row: Row, metric) -> str:
    if failed := results.session.failed[row.name]:
        return f"not measured: {failed[-1]['error']}"
    if metric.name == "age-p99" and results.session.pairs(row):
        return "not measured: P99 requires 100 frames after the warm-up"
    return "not measured"


def every_metric(results, row: Row) -> Table:
    """All metrics of one row."""
    verdicts = results.session.verdicts()
    table = [["metric", "off → on", "change, 95 % interval", "p, adjusted p", "verdict"]]
    for metric in METRICS.values():
        verdict = verdicts[row.name, metric.name]
        if verdict.word == UNKNOWN or not is_shown(row, metric.name):
            continue
        table.append([metric.title, wording.sides(metric, verdict.evidence),
                      wording.effect(metric, verdict.evidence.effect), _p(verdict), _word(verdict)])
    return table


def is_shown(row: Row, name: str) -> bool:
    """Whether a figure of a row means what its title says.

    A time until the limit is that of a run that gets hot, and such a run ends with frames and packets under way.
    """
    return name not in ("drops", "packets") if "heat" in row.primary else name != "heat"


def overview(results) -> Table:
    """All rows and their main metrics."""
    names = ["cpu-frame", "cpu", "age-p50", "age-p95", "age-p99", "drops", "allocations", "memory", "switches", "frames",
             "heat"]
    verdicts = results.session.verdicts()
    table = [["row", "pairs", *(METRICS[name].title for name in names)]]
    for row in results.session.rows:
        cells = []
        for name in names:
            verdict = verdicts[row.name, name]
            cells.append(wording.NOTHING if verdict.evidence is None or not is_shown(row, name) else
                         f"{wording.change(METRICS[name], verdict.evidence.effect.median)} {verdict.word}")
        table.append([row.title, str(results.session.pairs(row)), *cells])
    return table


def undecided(results) -> Table:
    """The undecided main figures of each row, with the time that a decision would take."""
    table = [["row", "metric", "change, 95 % interval", "pairs", "would need about"]]
    verdicts = results.session.verdicts()
    for row in results.session.rows:
        pairs = results.session.pairs(row)
        seconds = sum(block["seconds"] for block in results.session.blocks[row.name]) / max(1, pairs)
        for name in row.main_metrics:
            verdict = verdicts[row.name, name]
            if verdict.word == UNDECIDED and not row.is_noise:
                table.append([row.title, METRICS[name].title, wording.effect(METRICS[name], verdict.evidence.effect),
                              str(verdict.evidence.pairs), wording.more_time(verdict, results.looks, pairs, seconds)])
    return table


def runs(results) -> Table:
    """How long the runs of each row are, and what went wrong."""
    table = [["row", "frames of a run", "of them warm-up", "slow receiver", "frames sent, lost",
              "packets sent, lost on the loopback", "failed runs off, on"]]
    for row in results.session.rows:
        settings = results.run_settings(row)
        every = [run for block in results.session.blocks[row.name] for run in block["runs"]]
        slow, heat = settings.get("slow"), settings.get("heat")
        failed = results.session.failed[row.name]
        counts = [sum(one["after"] == side for one in failed) for side in (False, True)]
        reason = f": {failed[-1]['error']}" if failed else ""
        table.append([
            row.title, "until the limit of heat" if heat else str(settings["frames"]), str(settings["warm-frames"]),
            wording.slowness(slow) if slow else "never",
            # A run that ends at the limit has frames and packets under way, which are not lost.
            *([wording.NOTHING] * 2 if heat else [_lost(every, "frames"), _lost(every, "packets")]),
            f"{counts[0]}, {counts[1]}{reason}"])
    return table


def _lost(runs_of_row: list[dict], name: str) -> str:
    pairs = [run[name] for run in runs_of_row if name in run]
    if not pairs:
        return wording.NOTHING
    return f"{sum(pair[0] for pair in pairs)}, {sum(pair[0] - pair[1] for pair in pairs)}"


def fidelity(results) -> Table:
    """Whether the pictures stay the same."""
    titles = {row.name: row.title for row in results.session.rows}
    table = [["row", "frames", "MD5 before the encoder", "MD5 of the encoded frames", "PSNR of the decoded luma"]]
    for found in results.fidelity:
        if found["row"] in titles:
            table.append([titles[found["row"]], *pictures(found)])
    return table
