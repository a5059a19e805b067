"""Measures the cost of perfmonitor and the accuracy of its figures; see Benchmarks/monitor."""
import argparse
import os
import sys

import cost
import longrun
import measured_plugin
import report
import text_tables
import truth
from process import CHILDREN, DISABLED, run_child

PARTS = {"cost": cost, "truth": truth, "run": longrun}


def main():
    options = parse()
    if options.child:
        return run_child(options.child, options.arguments)
    with measured_plugin.folder_with_registry("monitor-benchmark-") as folder:
        options.folder = folder
        if options.disabled:
            os.environ[DISABLED] = "1"
        measured_plugin.load("perfmonitor", options.plugin_dir)
        return measure(options)


def parse():
    parser = argparse.ArgumentParser(prog="Benchmarks/monitor", description=__doc__)
    parser.add_argument("--short", action="store_true", help="a few rows and ratios only, in less than a minute")
    parser.add_argument("--parts", default=",".join(PARTS), metavar="NAMES", help="of cost,truth,run (default: all)")
    parser.add_argument("--rows", default="*", metavar="PATTERN", help="only rows whose names match; a shell pattern")
    parser.add_argument("--turns", type=int, help="runs of each row of cost (default: 9)")
    parser.add_argument("--minutes", type=float, default=5, help="length of run (default: 5)")
    parser.add_argument("--hour", action="store_const", const=60, dest="minutes", help="run for an hour")
    parser.add_argument("--shark", metavar="DIR", help="folder of a gst-shark build; adds rows for its tracers")
    parser.add_argument("--markdown", metavar="FILE", help="also write the tables to FILE")
    parser.add_argument("--disabled", action="store_true", help="measure with enabled=false; each part must then fail")
    parser.add_argument("--plugin-dir", metavar="DIR", help="folder of the plugin (default: out/plugin)")
    parser.add_argument("--child", choices=CHILDREN, help=argparse.SUPPRESS)
    parser.add_argument("--arguments", help=argparse.SUPPRESS)
    options = parser.parse_args()
    options.turns = options.turns or (5 if options.short else 9)
    unknown = set(options.parts.split(",")) - set(PARTS)
    if unknown:
        parser.error(f"There is no part {', '.join(sorted(unknown))}; the parts are {', '.join(PARTS)}.")
    return options


def measure(options):
    """Measures one part after the other, and prints the result of each. Returns the exit status."""
    tables, failures, rows = [], [], 0
    print(report.machine(), flush=True)
    for name in options.parts.split(","):
        table, lost, notes = PARTS[name].measure(options)
        tables.append((PARTS[name].TITLE, table, notes))
        failures += lost
        rows += len(table) - 1
        if not options.short:
            print(f"\n{PARTS[name].TITLE}\n" + text_tables.plain(table))
            print("\n".join(notes), flush=True)
        if options.markdown:
            report.write(options.markdown, tables)
    for failure in failures:
        print(f"FAILED {failure}")
    print(f"{rows} rows, {len(failures)} failed")
    return 1 if failures or not rows else 0


sys.exit(main())
