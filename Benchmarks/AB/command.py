"""The steps of the command: capability, pictures, rows, reports."""
import argparse
import os
import statistics
import time

import capability
import fidelity
import measured_plugin
import machine
import native
import report
from evidence import Looks
from heat import HeatModel
from plan import Form, Plan, Row
from runner import Runner
from session import Session
from store import Store


def run(options: argparse.Namespace) -> int:
    """Runs the command; returns the exit status."""
    plan = Plan(options.plan)
    form = plan.form(options.form)
    if options.list:
        for row in plan.rows(form, options.workload or plan.data["main-workloads"][-1]):
            print(f"{row.name}: {row.title}")
        return 0
    factory = measured_plugin.load("backpressurequeue", options.plugin_dir)
    facts = machine.describe(factory)
    libraries = str(options.folder.parent / "native")
    native.build(libraries)
    os.environ.setdefault("GST_REGISTRY", str(options.folder.parent / "registry.bin"))
    identity = {"plugin": facts["plugin"].partition(", sources")[0], "machine": facts["processor"]}
    if options.verify:
        import verify

        return verify.run(options, libraries, identity)
    identity["plan"] = plan.digest
    store = Store(options.folder, identity)
    runner = Runner(plan, form.settings, libraries)
    results = Results(plan, form, facts, store)
    results.measure(runner, options)
    page = options.html or options.folder / "report.html"
    report.write(results, options.markdown, page)
    return 0


class Results:
    """Everything that the reports show."""

    def __init__(self, plan: Plan, form: Form, facts: dict[str, str], store: Store) -> None:
        self.plan, self.form, self.store = plan, form, store
        self.facts = store.read("machine") or facts
        store.write("machine", self.facts)
        self.capability: dict[str, dict] = {}
        self.fidelity: list[dict] = []
        self.soak: dict | None = None
        self.workload = ""
        self.minutes = form.minutes
        self.session: Session

    @property
    def looks(self) -> Looks:
        data = self.form.settings.get("looks")
        return Looks(tuple(data["pairs"]), tuple(data["shares"])) if data else Looks()

    def measure(self, runner: Runner, options: argparse.Namespace) -> None:
        """Measures what is not yet in the folder."""
        begin = time.monotonic()
        self.minutes = options.minutes or self.form.minutes
        self._choose(runner, options)
        rows = self._rows(options)
        spent = self.store.read("spent") or 0.0
        if not options.report_only:
            self.fidelity = self._kept("fidelity", lambda: fidelity.check(runner, rows))
            spent += time.monotonic() - begin
            self.store.write("spent", spent)
        self.fidelity = self.store.read("fidelity") or []
        left = self.minutes * 60 - spent
        self.session = Session(rows, self._measure(runner, options.report_only), self.store, self.looks, left,
                               lambda text: print(text, flush=True))
        if not options.report_only:
            print(f"{len(rows)} rows on {self.workload}, {left / 60:.1f} minutes; load {machine.load()}", flush=True)
            self.session.run()
            self.store.write("load", machine.load())
        if options.soak and not options.report_only:
            self._kept("soak", lambda: soak(runner, self.plan, self.workload, options.soak))
        self.soak = self.store.read("soak")

    def _choose(self, runner: Runner, options: argparse.Namespace) -> None:
        """Finds what the machine plays in real time, and selects the workload."""
        self.capability = self._kept(
            "capability", lambda: capability.measure(runner, self.plan.data["capability"])) \
            if not options.report_only else self.store.read("capability") or {}
        names = self.plan.data["main-workloads"]
        self.workload = options.workload or self.store.read("workload") or \
            capability.largest(names, self.capability)
        self.store.write("workload", self.workload)

    def _rows(self, options: argparse.Namespace) -> list[Row]:
        plain = capability.largest(self.plan.data.get("plain-workloads", [self.workload]), self.capability)
        rows = self.plan.rows(self.form, self.workload, plain)
        wanted = options.rows.split(",") if options.rows else None
        return [row for row in rows if wanted is None or row.is_noise or row.name in wanted]

    def _kept(self, name: str, measure):
        found = self.store.read(name)
        if found is None:
            print(f"Measuring: {name}", flush=True)
            found = measure()
            self.store.write(name, found)
        return found

    def _measure(self, runner: Runner, is_report: bool):
        """The function of the session; the heat model refers to the load of the heated workload."""
        loads: dict[str, float] = {}

        def normal_load(row: Row) -> float:
            if row.workload not in loads:
                runs = [runner.play(row.workload, (), heat=None, slow=None, frames=75, **{"warm-frames": 15})
                        for _ in range(3)]
                loads[row.workload] = statistics.median(run.get("figures", {}).get("cpu", 1.0) for run in runs)
            return loads[row.workload]

        def measure(row: Row, is_after: bool) -> dict:
            model = HeatModel(**self.plan.data.get("heat-model", {}))
            runner.normal_load = normal_load(row)
            result = runner.measure(row, is_after)
            figures = result.get("figures", {})
            if "heat" not in figures and "cpu" in figures:
                figures["heat"] = model.minutes_until_limit(figures["cpu"] / runner.normal_load)
            return result

        if is_report:
            return lambda *_: {"error": "nothing is measured"}
        kept = self.store.read("loads")
        loads.update(kept or {})
        return _Keeping(measure, loads, self.store)


class _Keeping:
    """Keeps the loads that the heat model refers to, so that a resumed run refers to the same ones."""

    def __init__(self, measure, loads: dict[str, float], store: Store) -> None:
        self.measure, self.loads, self.store = measure, loads, store

    def __call__(self, row: Row, is_after: bool) -> dict:
        known = len(self.loads)
        result = self.measure(row, is_after)
        if len(self.loads) != known:
            self.store.write("loads", self.loads)
        return result


def soak(runner: Runner, plan: Plan, workload: str, minutes: float) -> dict:
    """One long run with everything on."""
    rate = plan.data["run"]["rate"]
    result = runner.play(workload, plan.measured, frames=round(minutes * 60 * rate),
                         monitor=plan.data["soak"]["monitor"], **{"warm-frames": 25, "curve": True})
    return {"minutes": minutes, **result}


