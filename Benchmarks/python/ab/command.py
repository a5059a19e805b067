"""The command Benchmarks/ab: its options and its steps."""
import argparse
import os
import shlex
import shutil
import sys
import tempfile
from contextlib import ExitStack
from pathlib import Path

import fidelity
import machine
import measured_plugin
import native
import report
from plan import Plan, PlanError
from results import Results
from store import Store, StoreError, locked

# Exit status if a switch changes pictures, or if a row or the long run could not be measured.
STATUS_DIFFERENT = 2


def main() -> int:
    """Runs the command and returns its exit status."""
    try:
        return run(parse())
    except (PlanError, StoreError) as error:
        print(error, file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("Interrupted; the same command continues.", file=sys.stderr)
        return 130


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="Benchmarks/ab",
                                     description="Measures what each switch of a plan gains; see Benchmarks/ab.")
    parser.add_argument("plan", nargs="?", default="4k25", help="a name in Benchmarks/plans, or a file (default: 4k25)")
    parser.add_argument("--form", default="whole", help="extent of the plan, such as short or whole (default: whole)")
    parser.add_argument("--minutes", type=float, help="time for the rows, instead of the time of the form")
    parser.add_argument("--rows", metavar="NAMES", help="only these rows, separated by commas; the noise always is one")
    parser.add_argument("--workload", metavar="NAME", help="do not choose the largest one that plays in real time")
    parser.add_argument("--soak", type=float, metavar="MINUTES", help="also play once with everything on for MINUTES")
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
        options.plan = machine.TOP / "Benchmarks/plans" / f"{options.plan}.json"
    options.plan = Path(options.plan)
    options.folder = options.folder or machine.TOP / "out/ab" / f"{options.plan.stem}-{options.form}"
    return options


def run(options: argparse.Namespace) -> int:
    plan = Plan(options.plan)
    form = plan.form(options.form)
    if options.list:
        for row in plan.rows(form, options.workload or plan.data["main-workloads"][-1]):
            print(f"{row.name}: {row.title}")
        return 0
    factory = measured_plugin.load("backpressurequeue", options.plugin_dir)
    digests, facts = machine.digests(factory), machine.describe(factory)
    libraries = str(options.folder.parent / "native")
    native.build(libraries)
    os.environ.setdefault("GST_REGISTRY", str(options.folder.parent / "registry.bin"))
    identity = {**machine.identity(facts), "plan": plan.digest,
                "workload": options.workload or "the largest in real time"}
    # The modules of --verify and --replay are in the folder of the tests.
    sys.path.append(str(machine.TOP / "Tests/AB"))
    if options.verify:
        import verify

        return verify.run(options, libraries, facts)
    with ExitStack() as stack:
        if options.estimate:
            # Discard the measurements of an estimate, because the machine may be busy.
            options.folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="ab-estimate-")))
        lock = stack.enter_context(locked(options.folder))
        if options.fresh:
            _discard(options.folder)
        results = Results(plan, form, facts, Store(options.folder, identity, lock),
                          "" if options.report_only else command_line(options), libraries)
        if options.replay:
            import replay

            return replay.run(results, options.replay)
        results.check = lambda: expect_same(digests, machine.digests(factory))
        if options.report_only:
            results.load()
        elif not results.measure(options):
            return 0
        others = _others(options, plan, facts, identity) if options.markdown else []
        report.write(results, options.markdown, options.html or options.folder / "report.html", others)
    is_different = results.session.failures or results.has_failed_soak or fidelity.differences(results.fidelity)
    return STATUS_DIFFERENT if is_different else 0


def command_line(options: argparse.Namespace) -> str:
    """The command that measures the same results again, without the folders of this machine."""
    words = ["Benchmarks/ab", options.plan.stem, "--form", options.form]
    for name in ("minutes", "rows", "workload", "soak"):
        if (value := getattr(options, name)) is not None:
            words += [f"--{name}", f"{value:g}" if isinstance(value, float) else value]
    if options.markdown:
        words += ["--markdown", f"docs/results-{options.plan.stem}.md"]
    return shlex.join(words)


def expect_same(before: dict[str, str], now: dict[str, str]) -> None:
    """Raises StoreError if the plugin or the instrument was replaced during the runs."""
    changed = ", ".join(name for name, value in now.items() if before[name] != value)
    if changed:
        raise StoreError(f"Replaced while this command measured: {changed}. The last runs are not kept. Restore it and "
                         "continue with the same command, or measure anew with --fresh.")


def _discard(folder: Path) -> None:
    """Removes all files except the lock, which this process holds."""
    for path in folder.iterdir():
        if path.is_dir():
            shutil.rmtree(path)
        elif path.name != "lock":
            path.unlink()


def _others(options: argparse.Namespace, plan: Plan, facts: dict[str, str], identity: dict) -> list[Results]:
    """The results of other forms in the same parent folder, if their plan, instrument and machine are the same."""
    found = []
    for name in plan.data["forms"]:
        folder = options.folder.parent / f"{plan.path.stem}-{name}"
        if name == options.form or not (folder / "identity.json").exists():
            continue
        try:
            # Do not read the files while another command measures in this folder.
            with locked(folder) as lock:
                results = Results(plan, plan.form(name), facts, Store(folder, identity, lock))
                results.load()
        except StoreError as error:
            print(f"The section of the form {name} stays as it is: {error}", flush=True)
            continue
        if results.session.blocks[results.session.rows[0].name]:
            found.append(results)
    return found
