"""The page with tables and plots: one file without links to others."""
import html
import math
import re
import statistics

import cross_check
import notes
import plots
import sensitivity
import tables
from metrics import METRICS

STYLE = """
body { font: 15px/1.45 system-ui, sans-serif; margin: 2em auto; max-width: 70em; padding: 0 1em; color: #1c1f23 }
table { border-collapse: collapse; margin: 1em 0; font-size: 13px }
th, td { border-bottom: 1px solid #d5d9de; padding: 4px 8px; text-align: left; vertical-align: top }
figure { margin: 1.5em 0 } figcaption { font-weight: 600 } svg { width: 100%; height: auto }
svg text { font-size: 12px; fill: #444 } .grid { stroke: #e3e6ea } .none { stroke: #444; stroke-dasharray: 4 3 }
.frame { fill: none; stroke: #c5cad1 } .note { background: #fff6dc; padding: .6em 1em }
@media (prefers-color-scheme: dark) { body { background: #15181c; color: #e6e8ea } svg text { fill: #c3c7cc }
.grid { stroke: #2c3138 } th, td { border-color: #343a42 } .none { stroke: #ccc } .note { background: #3a3216 } }
"""


def write(results) -> str:
    """The text of the page."""
    session = results.session
    title = f"{results.plan.data['title']}: {results.form.name}"
    parts = [
        f"<h1>{html.escape(title)}</h1>",
        f"<p>{html.escape(results.plan.workloads[results.workload]['title'])}; "
        f"{session.spent / 60:.1f} minutes of runs.</p>",
        '<p class="note">Everything about heat is a simulation: no temperature was measured.</p>' if notes.heat(results)
        else "",
        "<h2>Claims</h2>", _table(tables.claims(results)), _intervals(results),
        "<h2>All rows</h2>", _table(tables.overview(results)),
        "<h2>Latency</h2>", _distributions(results), _latency(results), _soak(results),
        _heat(results),
        "<h2>Undecided</h2>", _table(tables.undecided(results)),
        "<h2>Each row</h2>",
        *(f"<h3>{html.escape(row.title)}</h3>{_table(tables.every_metric(results, row))}" for row in session.rows),
        "<h2>The runs</h2>", _table(tables.runs(results)), _list(cross_check.sentences(session)),
        "<h2>Pictures</h2>", _table(tables.fidelity(results)),
        "<h2>What this machine plays in real time</h2>", _table(tables.capability(results)),
        "<h2>What the table does not show</h2>", _list(notes.not_shown(results)),
        "<h2>Method</h2>", _list(notes.method(results)),
        "<h2>Machine and versions</h2>", _list(f"{name}: {value}" for name, value in results.facts.items()),
    ]
    return (f'<!doctype html><html lang="en"><head><meta charset="utf-8">'
            f'<meta name="viewport" content="width=device-width">'
            f"<title>{html.escape(title)}</title><style>{STYLE}</style></head><body>{''.join(parts)}</body></html>\n")


def _rich(text: str) -> str:
    """Text with the few marks of Markdown that the notes use."""
    text = html.escape(text, quote=False)
    text = re.sub(r"\*\*(.+?)\*\*", r"<strong>\1</strong>", text)
    text = re.sub(r"\*(.+?)\*", r"<em>\1</em>", text)
    return re.sub(r"`(.+?)`", r"<code>\1</code>", text)


def _table(table: tables.Table) -> str:
    if len(table) < 2:
        return "<p>Nothing.</p>"
    head = "".join(f"<th>{_rich(cell)}</th>" for cell in table[0])
    body = "".join("<tr>" + "".join(f"<td>{_rich(cell)}</td>" for cell in row) + "</tr>" for row in table[1:])
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def _list(items) -> str:
    return "<ul>" + "".join(f"<li>{_rich(item)}</li>" for item in items) + "</ul>"


def _intervals(results) -> str:
    """One plot for each of the main metrics."""
    verdicts, found = results.session.verdicts(), []
    for name in ("cpu-frame", "age-p50", "age-p95", "allocations", "memory", "drops", "heat"):
        metric, rows = METRICS[name], []
        for row in results.session.rows:
            verdict = verdicts[row.name, name]
            if verdict.evidence is None or not tables.is_shown(row, name):
                continue
            scale = (lambda value: 100 * (value - 1)) if metric.is_ratio else (lambda value: value)
            interval = verdict.evidence.effect
            rows.append((row.title, scale(interval.low), scale(interval.median), scale(interval.high), verdict.word))
        if rows:
            unit = " %" if metric.is_ratio else " points"
            found.append(plots.intervals(f"{metric.title}: change and 95 % interval", rows, 0.0, unit))
    return "".join(found)


def _ages(session, row, is_after: bool) -> list[list[tuple[float, float]]]:
    """The ages of each run of a side over the time of the stream, without those of the warm-up."""
    return [[(at, age) for at, age in run.get("ages", ()) if at >= run.get("warm", 0)]
            for block in session.blocks[row.name] for run in block["runs"] if run["after"] == is_after]


def _distributions(results) -> str:
    rows = []
    for row in results.session.rows:
        before, after = ([age for run in _ages(results.session, row, side) for _, age in run] for side in (False, True))
        rows.append((f"{row.title} (grey: off, orange: on)", before, after))
    return plots.distributions("Share of the frames below an age, all runs together", rows, "ms")


def _latency(results) -> str:
    """The median age over the time of the stream."""
    found = []
    for row in results.session.rows:
        curves = [(side, _median_curve(_ages(results.session, row, is_after)))
                  for side, is_after in (("off", False), ("on", True))]
        if row.claims:
            found.append(plots.over_time(f"Age over the time of the stream, median of all runs: {row.title}", curves,
                                         ("s", "ms")))
    return "".join(found)


def _median_curve(runs: list[list[tuple[float, float]]], step: float = 0.04) -> list[tuple[float, float]]:
    places: dict[int, list[float]] = {}
    for run in runs:
        for at, age in run:
            places.setdefault(math.floor(at / step), []).append(age)
    return [(place * step, statistics.median(ages)) for place, ages in sorted(places.items())]


def _heat(results) -> str:
    """The section about the simulation; empty for forms without a row about it."""
    sentences = notes.heat(results)
    if not sentences:
        return ""
    return f"<h2>Heat, simulated</h2>{_temperatures(results)}{_list(sentences)}{_table(sensitivity.table(results))}"


def _temperatures(results) -> str:
    """The simulated temperatures of the last block."""
    for row in results.session.rows:
        for block in reversed(results.session.blocks[row.name]):
            curves = [("off" if not run["after"] else "on", [(at, degrees) for at, degrees in run["heat"]])
                      for run in block["runs"][:2] if "heat" in run]
            if curves:
                return plots.over_time("SIMULATED temperature over simulated time, last block", curves, ("min", "°C"))
    return ""


def _soak(results) -> str:
    if not results.soak or "ages" not in results.soak:
        return ""
    ages = [(at / 60, age) for at, age in results.soak["ages"]]
    memory = [(at / 60, size) for at, size, _ in results.soak.get("curve", ())]
    title = f"Everything on for {results.soak['minutes']:g} minutes"
    return (plots.over_time(f"{title}: age of each frame", [("on", ages)], ("min", "ms"))
            + plots.over_time(f"{title}: resident memory", [("on", memory)], ("min", "MB")))
