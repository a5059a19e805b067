"""The table of all rows, as Markdown."""

from __future__ import annotations

from phases import PHASES, SHORT
from summary import RowFigures


def percent(share: float | None) -> str:
    return "–" if share is None else f"{share:.1%}"


def milliseconds(seconds: float | None) -> str:
    return "–" if seconds is None else f"{seconds * 1000:.0f}"


def conditions(rows: list[RowFigures]) -> str:
    """Length and machine of each run, or one sentence if they are the same for all runs."""
    # A program ends up to some seconds after the requested length.
    texts = [f"{round(row.length, -1):.0f} s for each row, on {row.start.get('machine', 'an unknown machine')}." for row in rows]
    if len(set(texts)) == 1:
        return texts[0]
    return " ".join(f"`{row.name}`: {text.replace(' for each row', '')}" for row, text in zip(rows, texts))


def notes(rows: list[RowFigures]) -> list[str]:
    """Notes about the limits of short rows."""
    short = [row for row in rows if row.length < SHORT]
    if not short:
        return []
    lines = [f"- This is a short form: the windows of the alerts are 1 s in rows under {SHORT} s."]
    slow = [f"`{row.name}`" for row in short if row.start["rates"][0] < 1]
    if slow:
        lines.append(
            f"- {', '.join(slow)} has at most one inference in such a window, and cannot raise an alert. Only the "
            "compliance shows whether it met its target.")
    return lines


def tiers(row: RowFigures) -> str:
    return ", ".join(f"{'off' if rate == 0 else f'{rate:g}/s'} {time / row.length:.0%}" for rate, time
                     in sorted(row.time_in_tiers().items(), reverse=True))


def alerts(row: RowFigures) -> str:
    """Fraction of the run in which an alert of each metric was active. A new tier or an unload clears all alerts."""
    spans: dict[str, float] = {}
    for start, end, metric, _ in row.alert_spans():
        spans[metric] = spans.get(metric, 0) + end - start
    return ", ".join(f"{metric} {time / row.length:.0%}" for metric, time in sorted(spans.items())) or "none"


def memory(row: RowFigures) -> str:
    loaded, unloaded = row.memory("loaded"), row.memory("unloaded")
    target = row.start["memory_target"]
    parts = [f"{row.start['memory_base'] / 1e6:.0f} MB before the library"]
    if unloaded:
        parts.append(f"{min(unloaded):.0f} unloaded")
    if loaded:
        parts.append(f"{sorted(loaded)[len(loaded) // 2]:.0f} loaded, peak {max(loaded):.0f}")
    return ", ".join(parts) + (f" (target of the model {target / 1e6:.0f})" if target else "")


def measured(value: float | None, limit: float | None, unit: str) -> str:
    """A figure of the whole machine, with its target."""
    return ("not measured" if value is None else f"{value:.1f} {unit}") + (f" (target {limit:g} {unit})" if limit else "")


def markdown(rows: list[RowFigures]) -> str:
    lines = [
        "# Results of `Benchmarks/inference`", "",
        "![Compliance, latency, rate, memory and alerts of the models over time](inference.svg)", "",
        f"{conditions(rows)} The source is generated pages for text, and the clip in a loop, as a live source, for others. "
        + " ".join(f"From {phase.start:.0%} to {phase.end:.0%}: {phase.label()}." for phase in PHASES), "",
        "| row | model | inferences | compliance: all, quiet, beside hogs | P50, P95, P99 | target | alerts stood "
        "| time at rates |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for row in rows:
        lines.append(
            f"| `{row.name}` | {row.start['model']} | {row.seconds[-1]['inferences']}"
            f" | {percent(row.compliance())}, {percent(row.compliance(row.quiet_times()))}, "
            f"{percent(row.compliance(row.hog_times()))}"
            f" | {', '.join(milliseconds(row.end[key]) for key in ('p50', 'p95', 'p99'))} ms"
            f" | P95 {milliseconds(row.start['p95_target'])} ms | {alerts(row)} | {tiers(row)} |")
    lines += ["", "| row | memory of the process | model loaded in | power | battery in 30 min |", "|---|---|---|---|---|"]
    for row in rows:
        loads = ", ".join(f"{time:.2f} s" for time in row.end["load_times"]) or "–"
        lines.append(f"| `{row.name}` | {memory(row)} | {loads} | {measured(row.power, row.start.get('energy_target'), 'W')} "
                     f"| {measured(row.end.get('battery_percent'), row.start.get('battery_target'), '%')} |")
    lines += [
        "", "- Compliance is the share of the inferences that take at most the P95 of the target. Frames that the "
        "queue, `thermalcaps` or an unloaded model drop are no inferences.",
        "- Short memory is a file of a simulated machine; the CPU hogs are real.", *notes(rows), "",
    ]
    return "\n".join(lines)
