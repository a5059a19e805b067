"""Writes the report as one HTML file, with tables, and with plots as SVG. The file refers to no other file."""
import html
import math
import re
import statistics
from collections.abc import Callable
from pathlib import Path

import notes
import tables
from plan import METRICS

WIDTH = 860
# Colours of the verdicts, and of the sides "off" and "on".
VERDICTS = {"better": "#1a7f37", "worse": "#c0392b", "equivalent": "#2f6fb5", "undecided": "#8a8f98"}
SIDES = ("#8a8f98", "#d9730d")
# Approximate number of points of a curve, and interval in s between the points in the plot of the median age.
POINTS = 600
STEP = 0.04


def write(results) -> str:
    """The HTML text of the page."""
    session, heat = results.session, notes.heat(results)
    title = html.escape(f"{results.plan.data['title']}: {results.form.name}")
    parts = [
        f"<h1>{title}</h1>",
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
    style = Path(__file__).with_name("texts").joinpath("page.css").read_text("utf-8")
    return (f'<!doctype html><html lang="en"><head><meta charset="utf-8">'
            f'<meta name="viewport" content="width=device-width">'
            f"<title>{title}</title><style>\n{style}</style></head><body>{''.join(parts)}</body></html>\n")


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
        rows = [(row.title, verdict.word, [100 * (value - 1) if metric.is_ratio else value
                                           for value in verdict.evidence.effect])
                for row in results.session.rows for _, verdict in tables.shown(results, row, [metric.name])]
        if rows:
            unit = " %" if metric.is_ratio else " points"
            found.append(_intervals(f"{metric.title}: change and 95 % interval", rows, unit))
    return found


def _latency(results) -> list[str]:
    """Plots of the median age over the time in the stream."""
    found = []
    for row in (row for row in results.session.rows if row.claims):
        curves = {}
        for side, is_after in (("off", False), ("on", True)):
            steps: dict[int, list[float]] = {}
            for at, age in results.session.ages(row, is_after):
                steps.setdefault(math.floor(at / STEP), []).append(age)
            curves[side] = [(step * STEP, statistics.median(ages)) for step, ages in sorted(steps.items())]
        found.append(_over_time(f"Age over the time of the stream, median of all runs: {row.title}", curves, "s", "ms"))
    return found


def _heat(results, sentences: list[str]) -> list[str]:
    """The section about simulated heat, with the temperatures of the last block."""
    heated = [run for row in results.session.rows for run in results.session.runs(row) if "heat" in run]
    curves = {"on" if run["after"] else "off": run["heat"] for run in heated[-4:-2]}
    plot = _over_time("SIMULATED temperature over simulated time, last block", curves, "min", "°C")
    return ["<h2>Heat, simulated</h2>", plot, _list(sentences), _table(tables.heat(results))]


def _soak(results) -> list[str]:
    if not results.soak or "ages" not in results.soak:
        return []
    title = f"Everything on for {results.soak['minutes']:g} minutes"
    return [_over_time(f"{title}: {name}", {"on": [(at / 60, value) for at, value, *_ in points]}, "min", unit)
            for name, points, unit in (("age of each frame", results.soak["ages"], "ms"),
                                       ("resident memory", results.soak.get("curve", ()), "MB"))]


def _intervals(title: str, rows: list[tuple[str, str, list[float]]], unit: str) -> str:
    """A plot of medians with their intervals. A row is (name, verdict, [median, low, high])."""
    left, top, step = 330, 24, 22
    values = [value for _, _, interval in rows for value in interval] + [0.0]
    pad = (max(values) - min(values)) * 0.06 or 1.0
    low, high, bottom = min(values) - pad, max(values) + pad, top + step * len(rows) + 6
    place = _scale(left, low, high)
    # Draw about six ticks at round numbers.
    power = 10.0 ** math.floor(math.log10((high - low) / 7))
    each = next(power * factor for factor in (1, 2, 5, 10) if power * factor >= (high - low) / 7)
    parts = []
    for value in (each * count for count in range(math.ceil(low / each), math.floor(high / each) + 1)):
        parts += [_line(place(value), place(value), top, bottom, 'class="grid"'),
                  _text(place(value), bottom + 18, f"{value:+g}{unit}", "middle")]
    parts.append(_line(place(0.0), place(0.0), top - 6, bottom, 'class="none"'))
    for index, (name, word, interval) in enumerate(rows):
        y, colour, (middle, least, most) = top + step * index + 10, VERDICTS.get(word, "#888"), map(place, interval)
        parts += [_text(left - 10, y + 4, name if len(name) <= 46 else name[:45] + "…", "end"),
                  _line(least, most, y, y, f'stroke="{colour}" stroke-width="3"'),
                  f'<circle cx="{middle:.1f}" cy="{y}" r="4.5" fill="{colour}"><title>{word}</title></circle>']
    return _figure(title, bottom + 28, parts)


def _distributions(results) -> str:
    """A plot of the fraction of frames below each age. The axis of the ages is logarithmic."""
    sides = [(row.title, *([age for _, age in results.session.ages(row, side)] for side in (False, True)))
             for row in results.session.rows]
    shown = [(title, sorted(before), sorted(after)) for title, before, after in sides if before and after]
    if not shown:
        return ""
    every = [math.log10(max(0.1, age)) for _, *both in shown for ages in both for age in ages]
    low, high, left, top, step, parts = min(every), max(every), 60, 20, 150, []
    place = _scale(left, low, high)
    for index, (title, *both) in enumerate(shown):
        y0 = top + index * (step + 40)
        parts += [_text(left, y0 - 4, f"{title} (grey: off, orange: on)"), _frame(left, y0, step)]
        for ages, colour in zip(both, SIDES):
            parts.append(_curve([(place(math.log10(max(0.1, age))), y0 + step - step * (rank + 1) / len(ages))
                                 for rank, age in _thinned(ages)], colour))
        parts += [_text(place(power), y0 + step + 14, f"{10.0 ** power:g} ms", "middle")
                  for power in range(math.ceil(low), math.floor(high) + 1)]
        for share in (0.5, 0.95, 0.99):
            y = y0 + step - step * share
            parts += [_text(left - 6, y + 4, f"{share:.0%}", "end"), _line(left, WIDTH - 20, y, y, 'class="grid"')]
    return _figure("Share of the frames below an age, all runs together", top + len(shown) * (step + 40), parts)


def _over_time(title: str, curves: dict[str, list[tuple[float, float]]], x_unit: str, y_unit: str) -> str:
    """A plot of curves over time. The first curve is grey."""
    curves = {name: curve for name, curve in curves.items() if curve}
    if not curves:
        return ""
    xs, ys = zip(*(point for curve in curves.values() for point in curve))
    left, top, bottom = 70, 16, 220
    right_x, low_y, high_y = max(xs) or 1, min(0.0, *ys), max(ys) * 1.05 or 1
    place_x = _scale(left, 0, right_x)

    def place_y(value: float) -> float:
        return bottom - (value - low_y) / (high_y - low_y) * (bottom - top)

    parts = [_frame(left, top, bottom - top)]
    for part in range(5):
        x, y = right_x * part / 4, low_y + (high_y - low_y) * part / 4
        parts += [_text(left - 6, place_y(y) + 4, f"{y:.0f} {y_unit}", "end"),
                  _text(place_x(x), bottom + 16, f"{x:.1f} {x_unit}", "middle")]
    for index, ((name, curve), colour) in enumerate(zip(curves.items(), SIDES)):
        parts += [_curve([(place_x(x), place_y(y)) for _, (x, y) in _thinned(curve)], colour),
                  f'<text x="{left + 10 + index * 200}" y="{bottom + 36}" style="fill: {colour}">{name}</text>']
    return _figure(title, bottom + 46, parts)


def _scale(left: int, low: float, high: float) -> Callable[[float], float]:
    """Returns a function that converts a value to its horizontal position between `left` and the right edge."""
    return lambda value: left + (value - low) / ((high - low) or 1) * (WIDTH - left - 20)


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
