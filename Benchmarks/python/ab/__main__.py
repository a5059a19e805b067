"""Measures what each switch of a plan gains; see Benchmarks/ab."""
import argparse
import ctypes
import json
import os
import signal
import sys
from pathlib import Path

TOP = Path(__file__).resolve().parents[3]
# Of sys/prctl.h.
PR_SET_PDEATHSIG = 1


def main() -> int:
    if len(sys.argv) == 3 and sys.argv[1] == "--child":
        return play(json.loads(sys.argv[2]))
    options = parse()
    # SciPy is loaded here only, because a run must not wait for it.
    import command
    from plan import PlanError
    from store import StoreError

    try:
        return command.run(options)
    except (PlanError, StoreError) as error:
        print(error, file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("Interrupted; the same command continues.", file=sys.stderr)
        return 130


def play(spec: dict) -> int:
    """The process of one run; it ends with the process that started it, and writes its result to a file."""
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != spec["parent"]:
        return 1
    if spec.get("is-fidelity"):
        import fidelity

        result = fidelity.play(spec)
    else:
        import child

        result = child.play(spec)
    with open(spec["result"], "w", encoding="utf-8") as file:
        json.dump(result, file)
    # The figures are complete; the elements need not be freed.
    os._exit(0)


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="Benchmarks/ab", description=__doc__)
    parser.add_argument("plan", nargs="?", default="4k25", help="a name in Benchmarks/plans, or a file (default: 4k25)")
    parser.add_argument("--form", default="whole", help="extent of the plan, such as short or whole (default: whole)")
    parser.add_argument("--minutes", type=float, help="time for the rows, instead of that of the form")
    parser.add_argument("--rows", metavar="NAMES", help="only these rows, separated by commas; the noise always is one")
    parser.add_argument("--workload", metavar="NAME", help="do not choose the largest one that plays in real time")
    parser.add_argument("--soak", type=float, metavar="MINUTES", help="play once with everything on for so long, too")
    parser.add_argument("--folder", type=Path, help="folder of the results (default: out/ab/PLAN-FORM)")
    parser.add_argument("--fresh", action="store_true", help="discard results of an earlier run")
    parser.add_argument("--markdown", metavar="FILE", type=Path,
                        help="update the sections of all forms with results in the file, or that of --verify")
    parser.add_argument("--html", metavar="FILE", type=Path, help="the page with plots (default: in the folder)")
    parser.add_argument("--report-only", action="store_true", help="measure nothing, write the reports again")
    parser.add_argument("--verify", type=int, metavar="SESSIONS",
                        help="check the instrument with real processes: A/A, 3 %% more CPU, 5 ms more latency")
    parser.add_argument("--replay", type=int, metavar="SESSIONS",
                        help="check the statistics with kept runs of equal pipelines: as they are, and with 3 %% more "
                        "CPU and 5 ms more latency by arithmetic")
    parser.add_argument("--estimate", action="store_true", help="print how long the rows take, and measure no row")
    parser.add_argument("--list", action="store_true", help="print the rows, and play nothing")
    parser.add_argument("--plugin-dir", metavar="DIR", help="folder of the plugin (default: out/plugin)")
    options = parser.parse_args()
    if options.report_only and options.soak:
        parser.error("--report-only measures nothing, and --soak does: the report has a long run that was kept")
    if not Path(options.plan).suffix:
        options.plan = TOP / "Benchmarks/plans" / f"{options.plan}.json"
    options.plan = Path(options.plan)
    options.folder = options.folder or TOP / "out/ab" / f"{options.plan.stem}-{options.form}"
    return options


if __name__ == "__main__":
    sys.exit(main())
