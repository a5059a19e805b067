"""Compares pipelines/batch on short films with one gst-launch-1.0 on the same processors."""

import statistics
from typing import Any

from speed import FILM_SIZE, batch_command, launch_command, make_film, run
from store import FOLDER, Store

LENGTHS = (15, 60, 240)
# Maximum processor time for the film of 60 s, as a multiple of the processor time of gst-launch-1.0.
_GOAL = 1.5
_RUNS = 3


def measure_passes(store: Store) -> list[str]:
    """Prints the table of all lengths. Returns a sentence if the film of 60 s misses the goal."""
    print()
    for seconds in LENGTHS:
        if _name(seconds) not in store:
            store[_name(seconds)] = _measure(seconds)
    for line in pass_lines(store):
        print(line, flush=True)
    ratio = store[_name(60)]["processor"]
    return [] if ratio < _GOAL else [
        f"a film of 60 s takes {ratio:.2f} times the processor time of gst-launch-1.0, not less than {_GOAL}"]


def pass_lines(store: Store) -> list[str]:
    """A table of the results."""
    rows = [(seconds, store[_name(seconds)]) for seconds in LENGTHS]
    lines = [f"Short films ({FILM_SIZE}) with the default options, relative to one `gst-launch-1.0` on the same",
             "processors:", "",
             "| film | seconds | of `gst-launch-1.0` | processor time | how |", "|---|---|---|---|---|"]
    for seconds, row in rows:
        cells = [f"{seconds} s", f"{row['seconds']:.1f}", f"{row['wall']:.2f}", f"{row['processor']:.2f}", row["how"]]
        lines.append(f"| {' | '.join(cells)} |")
    return lines


def _name(seconds: int) -> str:
    return f"pass {seconds}"


def _measure(seconds: int) -> dict[str, Any]:
    """Medians of several pairs of runs. The two runs of a pair follow each other, so that other load affects both."""
    film, result = FOLDER / f"pass-{seconds}.mkv", FOLDER / "pass-result.mkv"
    make_film(film, seconds)
    runs = []
    for _ in range(_RUNS):
        launch = run([list(map(str, launch_command(film, result)))])
        batch = run([list(map(str, batch_command(film, result)))], with_output=True)
        runs.append({"seconds": batch["wall"], "wall": batch["wall"] / launch["wall"],
                     "processor": batch["processor"] / launch["processor"]})
    film.unlink()
    result.unlink()
    how = "one pass" if "in one pass" in batch["output"] else "segments"
    return {"how": how, **{key: statistics.median(run[key] for run in runs) for key in runs[0]}}
