"""Draws all rows over time as one SVG: a column for each row, and a panel for each figure."""

from __future__ import annotations

import math
from html import escape

from phases import PHASES
from summary import RowFigures

COLUMN, LEFT, TOP, GAP = 350, 74, 96, 26
PLOT = COLUMN - LEFT - 14
HEIGHTS = {"compliance": 110, "latency": 150, "rate": 110, "memory": 110, "alerts": 78}
COLOURS = {"first": "#1f5fa8", "second": "#d2691e", "target": "#555555", "hogs": "#e9e2d0", "more": "#d9cba4",
           "memory": "#cfe3f2", "warning": "#e6b800", "critical": "#c62828"}
METRICS = ("p50", "p95", "p99", "compliance", "rate", "memory")
Points = list[tuple[float, float | None]]


def tick_step(most: float) -> float:
    """Largest step (1, 2, 2.5 or 5 times a power of ten) of which two fit into a scale up to `most`."""
    power = 10 ** math.floor(math.log10(most / 2))
    return max(factor * power for factor in (1, 2, 2.5, 5) if factor * power <= most / 2)


class Panel:
    """One plot with its own vertical scale; `left` and `top` are its corner."""

    def __init__(self, left: float, top: float, height: float, length: float, most: float) -> None:
        self.left, self.top, self.height, self.length, self.most = left, top, height, length, max(most, 1e-9)
        self.parts: list[str] = []

    def x(self, time: float) -> float:
        return self.left + min(max(time / self.length, 0), 1) * PLOT

    def y(self, value: float) -> float:
        return self.top + self.height * (1 - min(max(value / self.most, 0), 1))

    def frame(self, title: str, unit: str) -> None:
        self.parts.append(f'<text x="{self.left}" y="{self.top - 6}" class="name">{escape(title)}</text>')
        for phase in PHASES:
            colour = "memory" if phase.is_memory_short else "more" if phase.hogs_per_processor > 1 else "hogs"
            start, end = self.x(phase.start * self.length), self.x(phase.end * self.length)
            self.parts.append(f'<rect x="{start:.1f}" y="{self.top}" width="{end - start:.1f}" height="{self.height}" '
                              f'fill="{COLOURS[colour]}"/>')
        self.parts.append(f'<rect x="{self.left}" y="{self.top}" width="{PLOT}" height="{self.height}" class="frame"/>')
        step = tick_step(self.most)
        for mark in (0, step, 2 * step) if unit else ():
            self.parts.append(f'<text x="{self.left - 5}" y="{self.y(mark) + 4:.1f}" class="tick">'
                              f'{round(mark, 2):g}{unit if mark > step else ""}</text>')

    def line(self, points: Points, colour: str, width: float = 1.4) -> None:
        """Draws a line with gaps where the value is None. Clamps values to the panel."""
        run: list[str] = []
        for time, value in [*points, (0, None)]:
            if value is not None:
                run.append(f"{self.x(time):.1f},{self.y(value):.1f}")
            elif run:
                self.parts.append(f'<polyline points="{" ".join(run)}" fill="none" stroke="{COLOURS[colour]}" '
                                  f'stroke-width="{width}"/>')
                run = []

    def steps(self, points: list[tuple[float, float]], colour: str) -> None:
        corners: Points = []
        for (time, value), (end, _) in zip(points, [*points[1:], (self.length, 0)]):
            corners += [(time, value), (end, value)]
        self.line(corners, colour, 1)

    def limit(self, value: float, text: str, below: bool = False) -> None:
        """Draws a dashed line with a label above it. `below` moves the label below the line, clear of the curves."""
        y = self.y(value)
        place = y + 11 if below else y - 3
        self.parts.append(f'<line x1="{self.left}" x2="{self.left + PLOT}" y1="{y:.1f}" y2="{y:.1f}" class="limit"/>'
                          f'<text x="{self.left + PLOT - 3}" y="{place:.1f}" class="note">{escape(text)}</text>')


def column(row: RowFigures, left: float) -> list[str]:
    top, panels = TOP, {}
    limit = row.start["p95_target"] * 1000
    base, target = row.start["memory_base"] / 1e6, row.start["memory_target"]
    memory: Points = [(line["time"], line["memory"] / 1e6 if line.get("memory") else None) for line in row.seconds]
    most = {
        "compliance": 105, "latency": limit * 3, "rate": row.start["rates"][0] * 1.25,
        "memory": max([value for _, value in memory if value] + [base + (target or 0) / 1e6]) * 1.15, "alerts": 1}
    titles = {
        "latency": ("latency: P50, P95 of 5 s", " ms"), "rate": ("inferences a second, and the tier", "/s"),
        "memory": ("memory of the process", " MB"), "alerts": ("alerts", "")}
    if row.start["rates"][0] < 2:
        titles["latency"] = ("latency: longest of 5 s", " ms")
    span = max(row.length / 60, 2, 3 / row.start["rates"][0])
    titles["compliance"] = (f"within the P95 of the target, last {span:.0f} s", " %")
    for name, height in HEIGHTS.items():
        panels[name] = Panel(left + LEFT, top, height, row.length, most[name])
        panels[name].frame(*titles[name])
        top += height + GAP
    panels["compliance"].line([(time, None if share is None else share * 100)
                               for time, share in row.rolling_compliance(span)], "first")
    panels["compliance"].limit(95, "95 %", below=True)
    few = row.start["rates"][0] < 2
    for key, colour in (("max" if few else "p50", "first"), ("p95", "second")):
        panels["latency"].line([(line["time"], None if line.get(key) is None else line[key] * 1000)
                                for line in row.seconds], colour)
    panels["latency"].limit(limit, f"P95 target {limit:g} ms")
    panels["rate"].line(rates(row, span), "first")
    tiers = [(0.0, row.start["rates"][0])] + [(line["time"], line["rate"]) for line in row.tiers]
    panels["rate"].steps(tiers, "target")
    panels["memory"].line(memory, "first")
    if target:
        panels["memory"].limit(base + target / 1e6, f"start + {target / 1e6:g} MB")
    draw_alerts(panels["alerts"], row)
    return heading(row, left) + [part for panel in panels.values() for part in panel.parts] + axis(row, left, top - GAP)


def rates(row: RowFigures, span: float) -> Points:
    points: Points = []
    for index, (time, _, _) in enumerate(row.counts):
        window = [each for each in row.counts[:index + 1] if time - each[0] < span]
        # The last line of a log may follow the line before it immediately. Such a line is skipped.
        if time >= span and (index == 0 or time - row.counts[index - 1][0] > 0.5):
            points.append((time, sum(count for _, count, _ in window) / span))
    return points


def draw_alerts(panel: Panel, row: RowFigures) -> None:
    for index, metric in enumerate(METRICS):
        y = panel.top + 4 + index * 12
        panel.parts.append(f'<text x="{panel.left - 5}" y="{y + 8}" class="tick">{metric}</text>')
        for start, end, key, severity in row.alert_spans():
            if key == metric:
                width = max(panel.x(end) - panel.x(start), 3)
                panel.parts.append(f'<rect x="{panel.x(start):.1f}" y="{y}" height="9" width="{width:.1f}" '
                                   f'fill="{COLOURS[severity]}"/>')


def heading(row: RowFigures, left: float) -> list[str]:
    share = row.compliance()
    text = "no inferences" if share is None else f"{share:.1%} of {row.seconds[-1]['inferences']} within the P95 target"
    return [f'<text x="{left + LEFT}" y="{TOP - 50}" class="title">{escape(row.name)}</text>',
            f'<text x="{left + LEFT}" y="{TOP - 32}" class="name">{escape(text)}</text>']


def axis(row: RowFigures, left: float, bottom: float) -> list[str]:
    marks = []
    for share in (0, 0.25, 0.5, 0.75, 1):
        time = share * row.length
        text = f"{round(time / 60, 1):g} min" if row.length >= 300 else f"{time:.0f} s"
        marks.append(f'<text x="{left + LEFT + share * PLOT:.1f}" y="{bottom + 16}" class="mark">{text}</text>')
    return marks


def legend() -> list[str]:
    hogs = sorted({phase.hogs_per_processor for phase in PHASES if phase.hogs_per_processor})
    entries = [("first", "P50, or the only line"), ("second", "P95"), ("target", "target, tier")]
    entries += [(colour, f"{count} CPU hog{'s' if count > 1 else ''} for each processor")
                for colour, count in zip(("hogs", "more"), hogs)]
    entries += [("memory", "memory short (simulated)"), ("warning", "alert: warning"), ("critical", "alert: critical")]
    parts, x = [], float(LEFT)
    for colour, text in entries:
        parts.append(f'<rect x="{x:.0f}" y="12" width="14" height="10" fill="{COLOURS[colour]}"/>'
                     f'<text x="{x + 19:.0f}" y="21" class="name">{text}</text>')
        x += 44 + 6.6 * len(text)
    return parts


def draw(rows: list[RowFigures]) -> str:
    # The last label of an axis is wider than the margin of a column.
    width = max(COLUMN * len(rows), 4 * COLUMN) + 8
    height = TOP + sum(HEIGHTS.values()) + GAP * len(HEIGHTS) + 4
    style = ("text{font-family:sans-serif;fill:#222}.title{font-size:15px;font-weight:bold}.name{font-size:12px}"
             ".tick,.mark,.note{font-size:10px}.tick,.note{text-anchor:end}.mark{text-anchor:middle}"
             ".note{paint-order:stroke;stroke:#fff;stroke-width:3px}"
             ".frame{fill:none;stroke:#999}.limit{stroke:#555;stroke-dasharray:4 3}")
    parts = ['<svg xmlns="http://www.w3.org/2000/svg" '
             f'width="{width}" height="{height}" viewBox="0 0 {width} {height}">',
             f"<style>{style}</style>", f'<rect width="{width}" height="{height}" fill="#fff"/>', *legend()]
    for index, row in enumerate(rows):
        parts += column(row, index * COLUMN)
    return "\n".join([*parts, "</svg>", ""])
