"""Plots as SVG, which a page contains without further files."""
import html
import math

WIDTH = 860
COLOURS = {"better": "#1a7f37", "worse": "#c0392b", "equivalent": "#2f6fb5", "undecided": "#8a8f98"}


def intervals(title: str, rows: list[tuple[str, float, float, float, str]], none: float, unit: str) -> str:
    """Medians with their intervals: name, low, median, high, verdict."""
    left, top, step = 330, 24, 22
    values = [value for row in rows for value in row[1:4]] + [none]
    low, high = min(values), max(values)
    pad = (high - low) * 0.06 or 1.0
    low, high = low - pad, high + pad
    place = lambda value: left + (value - low) / (high - low) * (WIDTH - left - 20)  # noqa: E731
    height = top + step * len(rows) + 34
    parts = [_axis(low, high, place, top, height - 28, unit),
             f'<line x1="{place(none):.1f}" x2="{place(none):.1f}" y1="{top - 6}" y2="{height - 28}" class="none"/>']
    for index, (name, least, middle, most, word) in enumerate(rows):
        y, colour = top + step * index + 10, COLOURS.get(word, "#888")
        parts.append(f'<text x="{left - 10}" y="{y + 4}" text-anchor="end">{html.escape(_short(name))}</text>'
                     f'<line x1="{place(least):.1f}" x2="{place(most):.1f}" y1="{y}" y2="{y}" stroke="{colour}" '
                     f'stroke-width="3"/><circle cx="{place(middle):.1f}" cy="{y}" r="4.5" fill="{colour}">'
                     f'<title>{html.escape(word)}</title></circle>')
    return _figure(title, height, parts)


def distributions(title: str, rows: list[tuple[str, list[float], list[float]]], unit: str) -> str:
    """Shares of the frames below an age, on a logarithmic axis: name, ages off, ages on."""
    shown = [row for row in rows if row[1] and row[2]]
    if not shown:
        return ""
    every = [max(0.1, value) for row in shown for side in row[1:] for value in side]
    low, high = math.log10(min(every)), math.log10(max(every))
    left, top, step = 60, 20, 150
    parts = []
    for index, (name, before, after) in enumerate(shown):
        y0 = top + index * (step + 40)

        def place(value: float) -> float:
            return left + (math.log10(max(0.1, value)) - low) / ((high - low) or 1) * (WIDTH - left - 20)

        parts.append(f'<text x="{left}" y="{y0 - 4}">{html.escape(name)}</text>'
                     f'<rect x="{left}" y="{y0}" width="{WIDTH - left - 20}" height="{step}" class="frame"/>')
        for side, colour in ((before, "#8a8f98"), (after, "#d9730d")):
            ordered = sorted(side)
            points = " ".join(f"{place(value):.1f},{y0 + step - step * (place_in + 1) / len(ordered):.1f}"
                              for place_in, value in _thinned(ordered))
            parts.append(f'<polyline points="{points}" fill="none" stroke="{colour}" stroke-width="2"/>')
        for decade in _decades(low, high):
            parts.append(f'<text x="{place(decade):.1f}" y="{y0 + step + 14}" text-anchor="middle">'
                         f'{decade:g} {unit}</text>')
        for share in (0.5, 0.95, 0.99):
            y = y0 + step - step * share
            parts.append(f'<text x="{left - 6}" y="{y + 4:.1f}" text-anchor="end">{share:.0%}</text>'
                         f'<line x1="{left}" x2="{WIDTH - 20}" y1="{y:.1f}" y2="{y:.1f}" class="grid"/>')
    return _figure(title, top + len(shown) * (step + 40), parts)


def over_time(title: str, curves: list[tuple[str, list[tuple[float, float]]]], units: tuple[str, str]) -> str:
    """Curves over time; the first is grey."""
    curves = [curve for curve in curves if curve[1]]
    if not curves:
        return ""
    xs = [x for _, points in curves for x, _ in points]
    ys = [y for _, points in curves for _, y in points]
    left, top, bottom = 70, 16, 220
    right_x, low_y, high_y = max(xs) or 1, min(0.0, *ys), max(ys) * 1.05 or 1
    px = lambda x: left + x / right_x * (WIDTH - left - 20)  # noqa: E731
    py = lambda y: bottom - (y - low_y) / (high_y - low_y) * (bottom - top)  # noqa: E731
    parts = [f'<rect x="{left}" y="{top}" width="{WIDTH - left - 20}" height="{bottom - top}" class="frame"/>']
    for part in range(5):
        y, x = low_y + (high_y - low_y) * part / 4, right_x * part / 4
        parts.append(f'<text x="{left - 6}" y="{py(y) + 4:.1f}" text-anchor="end">{y:.0f} {units[1]}</text>'
                     f'<text x="{px(x):.1f}" y="{bottom + 16}" text-anchor="middle">{x:.1f} {units[0]}</text>')
    for index, (name, points) in enumerate(curves):
        colour = ("#8a8f98", "#d9730d", "#2f6fb5", "#1a7f37")[index % 4]
        line = " ".join(f"{px(x):.1f},{py(y):.1f}" for _, (x, y) in _thinned(points))
        parts.append(f'<polyline points="{line}" fill="none" stroke="{colour}" stroke-width="2"/>'
                     f'<text x="{left + 10 + index * 200}" y="{bottom + 36}" style="fill: {colour}">'
                     f'{html.escape(name)}</text>')
    return _figure(title, bottom + 46, parts)


def _thinned(values: list, most: int = 600) -> list[tuple[int, object]]:
    """At most so many of the values, with their places; the last one is always there."""
    step = max(1, len(values) // most)
    found = [(index, values[index]) for index in range(0, len(values), step)]
    return found if found[-1][0] == len(values) - 1 else [*found, (len(values) - 1, values[-1])]


def _decades(low: float, high: float) -> list[float]:
    return [10.0 ** power for power in range(math.ceil(low), math.floor(high) + 1)]


def _short(name: str, most: int = 46) -> str:
    return name if len(name) <= most else name[:most - 1] + "…"


def _round_steps(low: float, high: float) -> list[float]:
    """About six round numbers between both ends."""
    rough = (high - low) / 7 or 1.0
    power = 10.0 ** math.floor(math.log10(rough))
    step = next(power * factor for factor in (1, 2, 5, 10) if power * factor >= rough)
    return [step * count for count in range(math.ceil(low / step), math.floor(high / step) + 1)]


def _axis(low: float, high: float, place, top: float, bottom: float, unit: str) -> str:
    parts = []
    for value in _round_steps(low, high):
        parts.append(f'<line x1="{place(value):.1f}" x2="{place(value):.1f}" y1="{top}" y2="{bottom}" class="grid"/>'
                     f'<text x="{place(value):.1f}" y="{bottom + 18}" text-anchor="middle">{value:+g}{unit}</text>')
    return "".join(parts)


def _figure(title: str, height: float, parts: list[str]) -> str:
    return (f'<figure><figcaption>{html.escape(title)}</figcaption><svg viewBox="0 0 {WIDTH} {height:.0f}" role="img" '
            f'aria-label="{html.escape(title)}">{"".join(parts)}</svg></figure>')
