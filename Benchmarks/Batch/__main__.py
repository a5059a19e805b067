"""Prints the tables of docs/batch.md; Benchmarks/batch starts it."""

import argparse
import sys

from scheduler import measure_scheduler
from speed import measure_speed


def main() -> int:
    parser = argparse.ArgumentParser(prog="Benchmarks/batch")
    parser.add_argument("--minutes", type=float, default=10)
    parser.add_argument("--segments", type=int, default=10_000)
    parser.add_argument("--short", action="store_true")
    parser.add_argument("--only", choices=("speed", "scheduler"))
    options = parser.parse_args()
    if options.short:
        options.minutes, options.segments = 0.5, 300
    missed = []
    if options.only != "scheduler":
        missed += measure_speed(options.minutes)
    if options.only != "speed":
        missed += measure_scheduler(options.segments)
    for text in missed:
        print(f"MISSED  {text}")
    return int(bool(missed) and not options.short)


sys.exit(main())
