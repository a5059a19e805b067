"""The results of one form: what is in its folder, and what is measured anew."""
import argparse
import time
from collections.abc import Callable

import capability
import fidelity
import machine
from calibration import Calibration
from evidence import Looks
from heat import HeatModel
from plan import Form, Plan, Row
from runner import Runner
from schedule import Schedule
from session import Session
from store import Store


class Results:
    """Everything that the reports show."""

    def __init__(self, plan: Plan, form: Form, facts: dict[str, str], store: Store, command: str) -> None:
        self.plan, self.form, self.store = plan, form, store
        self.facts = store.read("machine") or facts
        self.command = command or (store.read("command") or {}).get("command", "")
        self.settings = form.settings
        self.capability: dict[str, dict] = {}
        self.fidelity: list[dict] = []
        self.soak: dict | None = None
        self.workload = ""
        self.minutes = form.minutes
        self.frames: dict[str, int] = {}
        self.session: Session
        # Raises an exception if the plugin or the instrument was replaced; see `Session`.
        self.check: Callable[[], None] = lambda: None

    @property
    def looks(self) -> Looks:
        return self.form.looks

    def run_settings(self, row: Row) -> dict:
        """The settings of the runs of a row."""
        runner = Runner(self.plan, self.settings, "")
        runner.frames = self.frames
        return runner.settings_of(row.workload, row.after, runner.changes(row))

    def load(self) -> None:
        """Reads the folder; nothing is measured."""
        self.capability = self.store.read("capability") or {}
        self.workload = self.store.read("workload") or self.main_workloads[-1]
        self.fidelity = self.store.read("fidelity") or []
        self.frames = self.store.read("frames") or {}
        self.minutes = self.store.read("minutes") or self.form.minutes
        self.soak = self._last_soak()
        names = self.store.read("rows")
        self.session = Session(self._rows(names), lambda *_: {"error": "nothing is measured"}, self.store, self.looks)

    def measure(self, runner: Runner, options: argparse.Namespace) -> bool:
        """Measures what is not yet in the folder; False if only the time was to be estimated."""
        if options.report_only:
            self.load()
            return True
        self.minutes = options.minutes or self.form.minutes
        for name, value in (("machine", self.facts), ("command", {"command": self.command}),
                            ("minutes", self.minutes)):
            self.store.write(name, value)
        begin, spent = time.monotonic(), self.store.read("spent") or 0.0
        self._choose(runner, options)
        names = options.rows.split(",") if options.rows else None
        self.store.write("rows", names)
        rows = self._rows(names)
        if not options.estimate:
            self.fidelity = self._compared(runner, rows)
        spent += time.monotonic() - begin
        self.store.write("spent", spent)
        left = self.minutes * 60 - spent
        schedule = Schedule(self.plan, rows, runner, self.looks.pairs[0], self.capability)
        self._fit(runner, schedule, left)
        seconds = sum(map(schedule.seconds, rows))
        print(f"{len(rows)} rows on {self.workload}: {self.looks.pairs[0]} pairs of each take about "
              f"{seconds / 60:.1f} minutes of {left / 60:.1f}; load {machine.load()}", flush=True)
        if options.estimate:
            for row in rows:
                print(f"{row.name}: {self.frames.get(row.name, runner.changes(row).get('frames', '-'))} frames, "
                      f"{schedule.seconds(row) / 60:.1f} min")
            return False
        self.session = self._session(runner, rows, left)
        self.session.run()
        self.soak = self._last_soak()
        if options.soak:
            self.soak = self._kept(f"soak-{options.soak:g}",
                                   lambda: soak(runner, self.plan, self.workload, options.soak))
        return True

    @property
    def has_failed_soak(self) -> bool:
        return bool(self.soak and "error" in self.soak)

    @property
    def repeated(self) -> str:
        """The command with which a reader repeats the results, those of an earlier long run included."""
        if not self.soak or "--soak" in self.command:
            return self.command
        return f"{self.command} --soak {self.soak['minutes']:g}"

    def _last_soak(self) -> dict | None:
        soaks = sorted(self.store.folder.glob("soak-*.json"), key=lambda path: path.stat().st_mtime)
        return self.store.read(soaks[-1].stem) if soaks else None

    @property
    def main_workloads(self) -> list[str]:
        return self.settings.get("main-workloads", self.plan.data["main-workloads"])

    def _choose(self, runner: Runner, options: argparse.Namespace) -> None:
        """Finds what the machine plays in real time, and selects the workload."""
        names = self.settings.get("capability", self.plan.data["capability"])
        self.capability = self._kept("capability", lambda: capability.measure(runner, names))
        self.workload = options.workload or self.store.read("workload") or \
            capability.largest(self.main_workloads, self.capability)
        self.store.write("workload", self.workload)

    def _rows(self, wanted: list[str] | None) -> list[Row]:
        plain = capability.largest(self.plan.data.get("plain-workloads", [self.workload]), self.capability)
        rows = self.plan.rows(self.form, self.workload, plain)
        return [row for row in rows if wanted is None or row.is_noise or row.name in wanted]

    def _fit(self, runner: Runner, schedule: Schedule, left: float) -> None:
        """The frames of each run follow from the time once, so that all runs of a row are alike."""
        fit = self.settings.get("fit")
        if not fit:
            return
        found = self.store.read("frames") or schedule.fit(left, fit["least"], fit["most"])
        # Rows that were not selected when the length was found have the same.
        self.frames = {row.name: found.get(row.name, min(found.values())) for row in schedule.flexible}
        runner.frames = self.frames
        self.store.write("frames", found | self.frames)

    def _compared(self, runner: Runner, rows: list[Row]) -> list[dict]:
        """The comparisons of pictures, those of rows that an earlier command left out included."""
        kept = self.store.read("fidelity") or []
        missing = [row for row in rows if row.name not in {one["row"] for one in kept}]
        if not missing:
            return kept
        print("Measuring: fidelity", flush=True)
        found = kept + fidelity.check(runner, missing)
        self._keep("fidelity", found, found)
        return found

    def _keep(self, name: str, content: object, parts) -> None:
        """Keeps a result unless one of its parts failed."""
        errors = [part["error"] for part in parts if "error" in part]
        for error in errors:
            print(f"{name}: {error}", flush=True)
        if not errors:
            self.store.write(name, content)

    def _kept(self, name: str, measure):
        """A result of the folder, or a new one, which is kept unless it failed."""
        found = self.store.read(name)
        if found is None:
            print(f"Measuring: {name}", flush=True)
            found = measure()
            self._keep(name, found, found.values() if name == "capability" else [found])
        return found

    def _session(self, runner: Runner, rows: list[Row], left: float) -> Session:
        """The session of the rows."""
        model = HeatModel(**self.plan.data.get("heat-model", {}))
        calibration = Calibration(runner, self.store, model)

        def measure(row: Row, is_after: bool) -> dict:
            if runner.has_heat(row):
                runner.normal_load = calibration.load(row, self.session.blocks[row.name])
            return runner.measure(row, is_after)

        return Session(rows, measure, self.store, self.looks, left, lambda text: print(text, flush=True),
                       self.check)


def soak(runner: Runner, plan: Plan, workload: str, minutes: float) -> dict:
    """One long run with everything on."""
    rate = plan.data["run"]["rate"]
    result = runner.play(workload, plan.measured, frames=round(minutes * 60 * rate),
                         monitor=plan.data["soak"]["monitor"], **{"warm-frames": 25, "curve": True})
    return {"minutes": minutes, **result}
