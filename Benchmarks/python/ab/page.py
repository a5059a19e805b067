"""The report as one HTML file, with tables, and with plots as SVG. It refers to no other file."""
import html
import math
import re
import statistics

import notes
import tables
from plan import METRICS

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
WIDTH = 860
# Colours of the verdicts, and of the sides "off" and "on".
VERDICTS = {"better": "#1a7f37", "worse": "#c0392b", "equivalent": "#2f6fb5", "undecided": "#8a8f98"}
SIDES = ("#8a8f98", "#d9730d")
# Approximate number of points of a curve, and interval in s of the points in the plot of the median age.
POINTS = 600
STEP = 0.04


def write(results) -> str:
    """The HTML text of the page."""
    session, heat = results.session, notes.heat(results)
    title = f"{results.plan.data['title']}: {results.form.name}"
    parts = [
        f"<h1>{html.escape(title)}</h1>",
        f"<p>{html.escape(results.plan.workloads[results.workload]['title'])}; "
        f"{session.spent / 60:.1f} minutes of runs.</p>",
        '<p class="note">Everything about heat is a simulation: no temperature was measured.</p>' if heat else "",
        "<h2>Claims</h2>", _table(tables.claims(results)), *_changes(results),
        "<h2>All rows</h2>", _table(tables.overview(results)),
        "<h2>Latency</h2>", _distributions(results), *_latency(results), *_soak(results),
        *(_heat(results, heat) if heat else ()),
        "<h2>Undecided</h2>", _table(tables.undecided(results)),
        "<h2>Each row</h2>",
        *(f"<h3>{html.escape(row.title)}</h3>{_table(tables.every_metric(results, row))}" for row in session.rows),
        "<h2>The runs</h2>", _table(tables.runs(results)), _list(tables.cross_check(results)),
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
    """HTML of a text with the Markdown marks that the notes use."""
    text = html.escape(text, quote=False)
    for mark, element in ((r"\*\*", "strong"), (r"\*", "em"), ("`", "code")):
        text = re.sub(f"{mark}(.+?){mark}", rf"<{element}>\1</{element}>", text)
    return text


def _table(table: tables.Table) -> str:
    if len(table) < 2:
        return "<p>Nothing.</p>"
    head, *body = ("<tr>" + "".join(f"<{element}>{_rich(cell)}</{element}>" for cell in row) + "</tr>"
                   for row, element in zip(table, ["th"] + ["td"] * len(table)))
    return f"<table><thead>{head}</thead><tbody>{''.join(body)}</tbody></table>"


def _list(items) -> str:
    return "<ul>" + "".join(f"<li>{_rich(item)}</li>" for item in items) + "</ul>"


def _changes(results) -> list[str]:
    """A plot of all rows for each main metric."""
    found = []
    for metric in map(METRICS.get, ("cpu-frame", "age-p50", "age-p95", "allocations", "memory", "drops", "heat")):
        rows = []
        for row in results.session.rows:
            for _, verdict in tables.shown(results, row, [metric.name]):
                effect = verdict.evidence.effect
                values = [100 * (value - 1) if metric.is_ratio else value
                          for value in (effect.low, effect.median, effect.high)]
                rows.append((row.title, *values, verdict.word))
        if rows:
            found.append(_intervals(f"{metric.title}: change and 95 % interval", rows,
                                    " %" if metric.is_ratio else " points"))
    return found


def _ages(session, row, is_after: bool) -> list[tuple[float, float]]:
    """Time in the stream and age of all frames of a side, without the frames of the warm-up."""
    return [(at, age) for run in session.runs(row, is_after) for at, age in run.get("ages", ())
            if at >= run.get("warm", 0)]


def _latency(results) -> list[str]:
    """Plots of the median age over the time in the stream."""
    found = []
    for row in (row for row in results.session.rows if row.claims):
        curves = []
        for side, is_after in (("off", False), ("on", True)):
            steps: dict[int, list[float]] = {}
            for at, age in _ages(results.session, row, is_after):
                steps.setdefault(math.floor(at / STEP), []).append(age)
            curves.append((side, [(step * STEP, statistics.median(ages)) for step, ages in sorted(steps.items())]))
        found.append(_over_time(f"Age over the time of the stream, median of all runs: {row.title}", curves,
                                ("s", "ms")))
    return found


def _heat(results, sentences: list[str]) -> list[str]:
    """The section about simulated heat, with the temperatures of the last block."""
    blocks = [block["runs"] for row in results.session.rows for block in results.session.blocks[row.name]
              if any("heat" in run for run in block["runs"][:2])]
    curves = [("on" if run["after"] else "off", run["heat"]) for run in blocks[-1][:2]] if blocks else []
    plot = _over_time("SIMULATED temperature over simulated time, last block", curves, ("min", "°C"))
    return ["<h2>Heat, simulated</h2>", plot, _list(sentences), _table(tables.heat(results))]


def _soak(results) -> list[str]:
    if not results.soak or "ages" not in results.soak:
        return []
    ages = [(at / 60, age) for at, age in results.soak["ages"]]
    memory = [(at / 60, size) for at, size, _ in results.soak.get("curve", ())]
    title = f"Everything on for {results.soak['minutes']:g} minutes"
    return [_over_time(f"{title}: age of each frame", [("on", ages)], ("min", "ms")),
            _over_time(f"{title}: resident memory", [("on", memory)], ("min", "MB"))]


def _intervals(title: str, rows: list[tuple[str, float, float, float, str]], unit: str) -> str:
    """A plot of medians with their intervals. A row is (name, low, median, high, verdict)."""
    left, top, step = 330, 24, 22
    values = [value for row in rows for value in row[1:4]] + [0.0]
    pad = (max(values) - min(values)) * 0.06 or 1.0
    low, high, height = min(values) - pad, max(values) + pad, top + step * len(rows) + 34

    def place(value: float) -> float:
        return left + (value - low) / (high - low) * (WIDTH - left - 20)

    # Draw about six ticks at round numbers.
    power = 10.0 ** math.floor(math.log10((high - low) / 7))
    each = next(power * factor for factor in (1, 2, 5, 10) if power * factor >= (high - low) / 7)
    parts = []
    for value in (each * count for count in range(math.ceil(low / each), math.floor(high / each) + 1)):
        parts += [_line(place(value), place(value), top, height - 28, 'class="grid"'),
                  _text(place(value), height - 10, f"{value:+g}{unit}", "middle")]
    parts.append(_line(place(0.0), place(0.0), top - 6, height - 28, 'class="none"'))
    for index, (name, least, middle, most, word) in enumerate(rows):
        y, colour = top + step * index + 10, VERDICTS.get(word, "#888")
        parts += [_text(left - 10, y + 4, name if len(name) <= 46 else name[:45] + "…", "end"),
                  _line(place(least), place(most), y, y, f'stroke="{colour}" stroke-width="3"'),
                  f'<circle cx="{place(middle):.1f}" cy="{y}" r="4.5" fill="{colour}">'
                  f"<title>{html.escape(word)}</title></circle>"]
    return _figure(title, height, parts)


def _distributions(results) -> str:
    """A plot of the share of frames below each age, on a logarithmic axis."""
    sides = [(row.title, *([age for _, age in _ages(results.session, row, side)] for side in (False, True)))
             for row in results.session.rows]
    shown = [row for row in sides if row[1] and row[2]]
    if not shown:
        return ""
    every = [math.log10(max(0.1, value)) for row in shown for side in row[1:] for value in side]
    low, high, left, top, step, parts = min(every), max(every), 60, 20, 150, []

    def place(value: float) -> float:
        return left + (math.log10(max(0.1, value)) - low) / ((high - low) or 1) * (WIDTH - left - 20)

    for index, (title, before, after) in enumerate(shown):
        y0 = top + index * (step + 40)
        parts += [_text(left, y0 - 4, f"{title} (grey: off, orange: on)"), _frame(left, y0, step)]
        for side, colour in ((sorted(before), SIDES[0]), (sorted(after), SIDES[1])):
            parts.append(_curve([(place(value), y0 + step - step * (rank + 1) / len(side))
                                 for rank, value in _thinned(side)], colour))
        for decade in (10.0 ** power for power in range(math.ceil(low), math.floor(high) + 1)):
            parts.append(_text(place(decade), y0 + step + 14, f"{decade:g} ms", "middle"))
        for share in (0.5, 0.95, 0.99):
            y = y0 + step - step * share
            parts += [_text(left - 6, y + 4, f"{share:.0%}", "end"), _line(left, WIDTH - 20, y, y, 'class="grid"')]
    return _figure("Share of the frames below an age, all runs together", top + len(shown) * (step + 40), parts)


def _over_time(title: str, curves: list[tuple[str, list[tuple[float, float]]]], units: tuple[str, str]) -> str:
    """A plot of curves over time. The first curve is grey."""
    curves = [curve for curve in curves if curve[1]]
    if not curves:
        return ""
    xs, ys = zip(*(point for _, points in curves for point in points))
    left, top, bottom = 70, 16, 220
    right_x, low_y, high_y = max(xs) or 1, min(0.0, *ys), max(ys) * 1.05 or 1

    def place(x: float, y: float) -> tuple[float, float]:
        return (left + x / right_x * (WIDTH - left - 20), bottom - (y - low_y) / (high_y - low_y) * (bottom - top))

    parts = [_frame(left, top, bottom - top)]
    for part in range(5):
        x, y = right_x * part / 4, low_y + (high_y - low_y) * part / 4
        parts += [_text(left - 6, place(x, y)[1] + 4, f"{y:.0f} {units[1]}", "end"),
                  _text(place(x, y)[0], bottom + 16, f"{x:.1f} {units[0]}", "middle")]
    for index, (name, points) in enumerate(curves):
        parts += [_curve([place(*point) for _, point in _thinned(points)], SIDES[index]),
                  f'<text x="{left + 10 + index * 200}" y="{bottom + 36}" style="fill: {SIDES[index]}">'
                  f"{html.escape(name)}</text>"]
    return _figure(title, bottom + 46, parts)


def _thinned(values: list) -> list[tuple[int, object]]:
    """About `POINTS` of the values, including the last value, each with its index."""
    indices = [*range(0, len(values), max(1, len(values) // POINTS)), len(values) - 1]
    return [(index, values[index]) for index in dict.fromkeys(indices)]


def _places(**values: float) -> str:
    return " ".join(f'{name}="{value:.1f}"' if isinstance(value, float) else f'{name}="{value}"'
                    for name, value in values.items())


def _text(x: float, y: float, text: str, anchor: str = "") -> str:
    place = _places(x=x, y=y) + (f' text-anchor="{anchor}"' if anchor else "")
    return f"<text {place}>{html.escape(text)}</text>"


def _line(x1: float, x2: float, y1: float, y2: float, style: str) -> str:
    return f"<line {_places(x1=x1, x2=x2, y1=y1, y2=y2)} {style}/>"


def _frame(left: int, top: int, height: int) -> str:
    return f'<rect {_places(x=left, y=top, width=WIDTH - left - 20, height=height)} class="frame"/>'


def _curve(points: list[tuple[float, float]], colour: str) -> str:
    line = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
    return f'<polyline points="{line}" fill="none" stroke="{colour}" stroke-width="2"/>'


def _figure(title: str, height: float, parts: list[str]) -> str:
    return (f'<figure><figcaption>{html.escape(title)}</figcaption><svg viewBox="0 0 {WIDTH} {height:.0f}" role="img" '
            f'aria-label="{html.escape(title)}">{"".join(parts)}</svg></figure>')
