"""Plays the rows and draws their figures. Benchmarks/inference starts this program."""

from __future__ import annotations

import argparse
import signal
import sys
from pathlib import Path

import picture
import report
import summary
from rows import MEDIAPIPE, ROWS, TOP, play

sys.path.append(str(Path(__file__).resolve().parents[3] / "pipelines"))

from output import write_text  # noqa: E402


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="Benchmarks/inference", description="Models beside CPU hogs that come and go.")
    parser.add_argument("--seconds", type=float, default=600, help="length of each row; 600 by default, 10 at least")
    parser.add_argument("--rows", default=",".join(ROWS), help="the rows to play, separated by commas")
    parser.add_argument("--out", type=Path, default=TOP / "out/inference", help="folder of the figures and the picture")
    parser.add_argument("--docs", action="store_true", help="copy the picture and the table to docs/")
    parser.add_argument("--draw", type=Path, help="draw the figures in this folder, and play nothing")
    parser.add_argument("--stand-in", metavar="MS[,MB]", help="play stand-ins, which need no library, for the models")
    options = parser.parse_args()
    options.rows = options.rows.split(",")
    for row in options.rows:
        if row not in ROWS + MEDIAPIPE:
            parser.error(f"There is no row {row}; the rows are {', '.join(ROWS + MEDIAPIPE)}.")
    if not 10 <= options.seconds <= 86_400:
        parser.error("--seconds is from 10 to 86400.")
    return options


def main() -> int:
    options = parse()
    # SIGTERM raises SystemExit, so that the benchmark also ends its player and its hogs.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))
    folder = options.draw or options.out
    folder.mkdir(parents=True, exist_ok=True)
    failed = []
    if not options.draw:
        for row in options.rows:
            print(f"{row}: {options.seconds:g} s", flush=True)
            if not play(row, options.seconds, folder, options.stand_in):
                failed.append(row)
    figures = [row for row in (summary.read(folder, name) for name in options.rows) if row is not None]
    if not figures:
        print(f"There are no complete figures in {folder}.", file=sys.stderr)
        return 1
    (folder / "inference.svg").write_text(picture.draw(figures), encoding="utf-8")
    text = report.markdown(figures)
    (folder / "inference-results.md").write_text(text, encoding="utf-8")
    print(text)
    print(f"{folder / 'inference.svg'}")
    if options.docs and failed:
        print(f"docs/ is not changed, because {', '.join(failed)} failed.", file=sys.stderr)
    elif options.docs:
        for name in ("inference.svg", "inference-results.md"):
            write_text(TOP / "docs" / name, (folder / name).read_text(encoding="utf-8"))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
