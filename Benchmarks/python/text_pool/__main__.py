"""Plays the pools by turns and prints a table. Benchmarks/text-pool starts this program."""

from __future__ import annotations

import argparse
import fnmatch
import json
import signal
import statistics
import subprocess
import sys
from pathlib import Path

from output import write_text
from text_tables import markdown, plain
from this_machine import processor

RUN = Path(__file__).with_name("run.py")
PAGE = RUN.parents[3] / "docs/elements/adaptivepool.md"
BEGIN, END = "<!-- Benchmarks/text-pool --docs writes from here -->", "<!-- to here -->"
# adaptivepool, or the number of buffers in a pool of core GStreamer; 0: no limit.
POOLS = {
    "fixed 8": "8", "fixed 16": "16", "stock, no limit": "0",
    "adaptive 4-12": "adaptivepool min-buffers=4 max-buffers=12", "adaptive, defaults": "adaptivepool",
}
# Column, figure, factor and digits.
COLUMNS = (
    ("stalled %", "stalled", 100, 1), ("missed %", "missed", 100, 1), ("under 5 ms %", "fast", 100, 1),
    ("mean MB", "mean", 1, 0), ("peak MB", "peak", 1, 0), ("idle MB", "idle", 1, 0),
    ("resident: mean", "resident", 1, 0), ("peak", "resident-peak", 1, 0), ("idle", "resident-idle", 1, 0),
    ("in use %", "used", 100, 0), ("recognition P50 ms", "work-p50", 1, 0))
# The source makes a frame in 33 ms. The model searches lines in a smaller picture on a slower machine: the largest in which
# a frame with one line takes at most 30 ms (median). A frame with three lines takes more than 33 then.
REDUCTIONS, MOST_SIMPLE_MS, CALIBRATION_SECONDS = range(1, 7), 30, 10
Figures = dict[str, list[dict]]


def spread(runs: list[dict], key: str, factor: float = 1, digits: int = 1) -> str:
    """Median of all runs, and the smallest and the largest value."""
    values = [run[key] * factor for run in runs]
    middle = f"{statistics.median(values):.{digits}f}"
    return middle if len(values) == 1 else f"{middle} ({min(values):.{digits}f}–{max(values):.{digits}f})"


def table(figures: Figures) -> list[list[str]]:
    rows = [["pool", *(title for title, *_ in COLUMNS), "`perfmonitor`: memory kept"]]
    for pool, runs in figures.items():
        kept = sum("memory kept" in run["verdict"] for run in runs)
        rows.append([pool, *(spread(runs, *column[1:]) for column in COLUMNS), f"{kept} of {len(runs)}"])
    return rows


def conditions(figures: Figures, options: argparse.Namespace) -> str:
    runs = [run for each in figures.values() for run in each]
    work = ", ".join(spread(runs, f"work-{share}", digits=0) for share in ("p5", "p50", "p95"))
    return (f"{options.rounds} rounds of {options.seconds:g} s and {options.idle:g} s of simple scenes, on {processor()}. "
            f"The model searches lines in a picture whose sides are divided by {options.reduction}. "
            f"Recognition took {work} ms a frame (P5, P50, P95), and at most "
            f"{max(run['in-flight'] for run in runs)} frames were in flight.")


def play(pool: str, options: argparse.Namespace, seed: int) -> dict:
    words = [sys.executable, str(RUN), POOLS[pool], str(options.seconds), str(options.idle), str(seed), str(options.reduction)]
    with subprocess.Popen(words, text=True, stdout=subprocess.PIPE) as child:
        try:
            text, _ = child.communicate()
        except BaseException:
            child.kill()
            raise
    if child.returncode != 0:
        sys.exit(f"{pool} failed ({child.returncode}).")
    return json.loads(text.splitlines()[-1])


def suits(reduction: int) -> bool:
    """Whether the model keeps up with the source while its scenes are simple."""
    simple = argparse.Namespace(seconds=0, idle=CALIBRATION_SECONDS, reduction=reduction)
    return play("stock, no limit", simple, seed=1)["work-p50"] <= MOST_SIMPLE_MS


def main() -> None:
    parser = argparse.ArgumentParser(prog="Benchmarks/text-pool", description="Buffer pools under text recognition.")
    parser.add_argument("--rounds", type=int, default=6, help="6 by default")
    parser.add_argument("--seconds", type=float, default=60, help="changing scenes of a run; 60 by default")
    parser.add_argument("--idle", type=float, default=30, help="simple scenes at its end; 30 by default, 5 at least")
    parser.add_argument("--pools", default="*", help="only pools whose names match this pattern")
    parser.add_argument("--reduction", type=int, choices=REDUCTIONS, help="divides both sides of the picture in which the "
                        "model searches lines; by default the smallest with which it keeps up with simple scenes")
    parser.add_argument("--docs", action="store_true", help=f"replace the table in {PAGE.name}")
    options = parser.parse_args()
    pools = [pool for pool in POOLS if fnmatch.fnmatch(pool, options.pools)]
    if not pools or options.rounds < 1 or options.seconds < 1 or options.idle < 5:
        parser.error(f"The pools are {', '.join(POOLS)}; one round, 1 s and 5 s are the least.")
    if options.docs and len(pools) < len(POOLS):
        parser.error("--docs writes a table of all pools, so --pools cannot be set.")
    if options.docs and [PAGE.read_text(encoding="utf-8").count(mark) for mark in (BEGIN, END)] != [1, 1]:
        parser.error(f"{PAGE.name} must have the lines {BEGIN} and {END} once.")
    # SIGTERM raises SystemExit, so that the run ends, too.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))
    if not options.reduction:
        options.reduction = next(filter(suits, REDUCTIONS), 0)
    if not options.reduction:
        sys.exit("This machine is too slow for the model.")
    figures: Figures = {pool: [] for pool in pools}
    for turn in range(options.rounds):
        # Another pool is the first of each round.
        for pool in pools[turn % len(pools):] + pools[:turn % len(pools)]:
            figures[pool].append(play(pool, options, seed=turn + 1))
            print(f"round {turn + 1}, {pool}: {json.dumps(figures[pool][-1])}", file=sys.stderr, flush=True)
    print(plain(table(figures)), conditions(figures, options), sep="\n\n")
    if options.docs:
        before, _, rest = PAGE.read_text(encoding="utf-8").partition(BEGIN)
        parts = [before + BEGIN, conditions(figures, options), markdown(table(figures)), END + rest.partition(END)[2]]
        write_text(PAGE, "\n\n".join(parts))


if __name__ == "__main__":
    main()
