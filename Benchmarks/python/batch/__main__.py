"""Prints the speed of pipelines/batch and the cost of its scheduler; Benchmarks/batch starts it."""

import argparse
import sys

from page import machine, replace_results
from passes import measure_passes, pass_lines
from scheduler import SECONDS, WORKERS, measure_scheduler, scheduler_lines
from speed import Speed
from store import Store

from render.times import rough_time


def main() -> int:
    parser = argparse.ArgumentParser(prog="Benchmarks/batch")
    parser.add_argument("--minutes", type=float, default=10)
    parser.add_argument("--segments", type=int, default=10_000)
    parser.add_argument("--short", action="store_true")
    parser.add_argument("--only", choices=("speed", "scheduler", "passes"))
    parser.add_argument("--fresh", action="store_true")
    parser.add_argument("--docs", action="store_true")
    options = parser.parse_args()
    if options.docs and (options.short or options.only):
        parser.error("--docs writes the results of all measurements, and not those of --short")
    if options.short:
        options.minutes, options.segments = 0.5, 300
    store = Store(options.fresh)
    missed: list[str] = []
    speed = Speed(options.minutes, store)
    is_timed = options.only in (None, "speed")
    name = f"scheduler {options.segments}"
    left = speed.estimate() if is_timed else 0.0
    is_scheduled = options.only in (None, "scheduler")
    if is_scheduled and name not in store:
        left += options.segments * SECONDS / WORKERS
    print(f"About {rough_time(left)} are left.", flush=True)
    if is_timed:
        missed += speed.measure()
    if options.only in (None, "passes") and not options.short:
        missed += measure_passes(store)
    if is_scheduled:
        missed += measure_scheduler(options.segments, store, name, speed.segment_seconds)
    if options.docs:
        replace_results([f"On {machine()}, {speed.markdown()[0]}", *speed.markdown()[1:], "",
                         *pass_lines(store), "",
                         *scheduler_lines(options.segments, store, name, speed.segment_seconds)])
    for text in missed:
        print(f"MISSED  {text}")
    return int(bool(missed) and not options.short)


sys.exit(main())
