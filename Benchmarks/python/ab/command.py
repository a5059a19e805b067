"""The steps of the command: capability, pictures, rows, reports."""
import argparse
import os
import shlex
import shutil
import tempfile
from contextlib import ExitStack
from pathlib import Path

import fidelity
import machine
import measured_plugin
import native
import report
from plan import Plan
from results import Results
from runner import Runner
from store import Store, StoreError, locked

# The exit status if a switch changes pictures, or a row or the long run could not be measured.
STATUS_DIFFERENT = 2


def run(options: argparse.Namespace) -> int:
    """Runs the command; returns the exit status."""
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
    identity = {**machine.identity(facts), "plan": plan.digest}
    if options.verify:
        import verify

        return verify.run(options, libraries, facts)
    with ExitStack() as stack:
        if options.estimate:
            # Measurements for an estimate are not kept: the machine may be busy.
            options.folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="ab-estimate-")))
        lock = stack.enter_context(locked(options.folder))
        if options.fresh:
            _discard(options.folder)
        identity["workload"] = options.workload or "the largest in real time"
        results = Results(plan, form, facts, Store(options.folder, identity, lock),
                          "" if options.report_only else command_line(options))
        if options.replay:
            import replay

            return replay.run(results, options.replay)
        results.check = lambda: expect_same(digests, machine.digests(factory))
        runner = Runner(plan, results.settings, libraries)
        if not results.measure(runner, options):
            return 0
        others = _others(options, plan, facts, identity) if options.markdown else []
        report.write(results, options.markdown, options.html or options.folder / "report.html", others)
    is_different = results.session.failures or results.has_failed_soak or fidelity.differences(results.fidelity)
    return STATUS_DIFFERENT if is_different else 0


def command_line(options: argparse.Namespace) -> str:
    """The command as a reader repeats it, without the folders of this machine."""
    words = ["Benchmarks/ab", options.plan.stem, "--form", options.form]
    for name in ("minutes", "rows", "workload", "soak"):
        if (value := getattr(options, name)) is not None:
            words += [f"--{name}", f"{value:g}" if isinstance(value, float) else value]
    if options.markdown:
        words += ["--markdown", f"docs/results-{options.plan.stem}.md"]
    return shlex.join(words)


def expect_same(before: dict[str, str], now: dict[str, str]) -> None:
    """Refuses runs in whose course the plugin or the instrument was replaced."""
    changed = ", ".join(name for name, value in now.items() if before[name] != value)
    if changed:
        raise StoreError(f"Replaced while this command measured: {changed}. The last runs are not kept. Restore it and "
                         "continue with the same command, or measure anew with --fresh.")


def _discard(folder: Path) -> None:
    """Removes all but the lock, which this process holds."""
    for path in folder.iterdir():
        if path.is_dir():
            shutil.rmtree(path)
        elif path.name != "lock":
            path.unlink()


def _others(options: argparse.Namespace, plan: Plan, facts: dict[str, str], identity: dict) -> list[Results]:
    """The results of the other forms beside the folder, if they are of the same plan, instrument and machine."""
    found = []
    for name in plan.data["forms"]:
        folder = options.folder.parent / f"{plan.path.stem}-{name}"
        if name == options.form or not (folder / "identity.json").exists():
            continue
        try:
            # Another command may measure there: its files are not touched.
            with locked(folder) as lock:
                results = Results(plan, plan.form(name), facts, Store(folder, identity, lock), "")
                results.load()
        except StoreError as error:
            print(f"The section of the form {name} stays as it is: {error}", flush=True)
            continue
        if results.session.blocks[results.session.rows[0].name]:
            found.append(results)
    return found
