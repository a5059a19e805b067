"""Formats the table."""
import statistics

from verdict import score

COLUMNS = [
    "row", "queue", "frames (min–max)", "of", "P50 ms", "P95 ms (min–max)", "freeze ms", "end s", "messages",
    "verdict",
]


def lines(row, runs, verdict):
    """Cells of a row, in one line per queue."""
    for index, (name, figures) in enumerate(runs.items()):
        yield [
            row.name if index == 0 else "",
            name,
            _frames(row, figures),
            _number([run["in"] for run in figures]),
            _number([run["p50"] for run in figures]),
            _spread([run["p95"] for run in figures]),
            _number([run["freeze"] for run in figures]),
            _number([run["seconds"] for run in figures], 1),
            _messages(figures),
            verdict.words if index == 0 else "",
        ]


def summary(row, runs, verdict):
    """Text about a row in one line."""
    counts = ", ".join(f"{name} {_frames(row, figures)}" for name, figures in runs.items())
    return f"{'FAILED' if verdict.lost else 'ok'} {row.name}: {counts} frames; {verdict.words}"


def texts(row, runs):
    """The first errors and warnings of each queue."""
    for name, figures in runs.items():
        for text in dict.fromkeys(text for run in figures for text in run["texts"]):
            yield f"{row.name}, {name}: {text}"


def markdown(cells):
    return "| " + " | ".join(cells) + " |"


def plain(cells):
    widths = [34, 6, 16, 4, 7, 18, 7, 6, 0, 0]
    return " ".join(cell.ljust(width) for cell, width in zip(cells, widths)).rstrip()


def _frames(row, figures):
    """Number of frames that count. For encoded rows, also the number of all frames that left the pipeline."""
    cell = _spread([score(row, run) for run in figures])
    return cell + (f" of {_number([run['out'] for run in figures])}" if row.decoded else "")


def _spread(values, digits=0):
    values = [value for value in values if value is not None]
    if not values:
        return "–"
    middle = _number(values, digits)
    low, high = (f"{value:.{digits}f}" for value in (min(values), max(values)))
    return middle if low == high else f"{middle} ({low}–{high})"


def _number(values, digits=0):
    values = [value for value in values if value is not None]
    return f"{statistics.median(values):.{digits}f}" if values else "–"


def _messages(figures):
    """Median number of messages of each kind, and the results of the runs that did not end with EOS."""
    kinds = dict.fromkeys(kind for run in figures for kind in run["messages"])
    counts = [f"{_number([run['messages'].get(kind, 0) for run in figures])} {kind}" for kind in kinds]
    ends = [run["result"] for run in figures if run["result"] != "ended"]
    return ", ".join([f"{ends.count(end)}x {end}" for end in dict.fromkeys(ends)] + counts) or "none"
