"""The results of one form: reads them from its folder, and measures the missing ones."""
import argparse
import statistics
import time
from collections.abc import Callable

import fidelity
import machine
from plan import Form, Plan, PlanError, Row
from runner import Runner
from session import Session
from store import Store

# Default time that a run takes beyond the duration of its stream, and time that a run waits for lost frames, both in s.
EXTRA, WAIT = 0.5, 0.15
# Warm-up of a run with heat, in s.
WARM = 0.5
# Number of additional runs with everything off before the first block of a row about heat, and number of the latest
# runs with everything off whose median CPU usage is the reference of the heat model.
FIRST, LATEST = 3, 6


class Results:
    """All data that the reports show about a form."""

    def __init__(self, plan: Plan, form: Form, facts: dict[str, str], store: Store, command: str = "",
                 libraries: str = "") -> None:
        self.plan, self.form, self.store, read = plan, form, store, store.read
        self.facts = read("machine") or facts
        self.command: str = command or read("command") or ""
        self.runner = Runner(plan, form.settings, libraries)
        self.runner.frames = read("frames") or {}
        self.capability: dict[str, dict] = read("capability") or {}
        self.fidelity: list[dict] = read("fidelity") or []
        self.minutes: float = read("minutes") or form.minutes
        self.main_workloads: list[str] = form.settings.get("main-workloads", plan.data["main-workloads"])
        self.workload: str = read("workload") or ""
        self.soak: dict | None = None
        self.session: Session
        # Function that raises an exception if the plugin or the instrument was replaced; see `Session`.
        self.check: Callable[[], None] = lambda: None
        # CPU usage, in cores, of the additional runs with everything off before the first block of each row about heat,
        # by the name of the row.
        self._loads: dict[str, list[float]] = read("loads") or {}

    def load(self) -> None:
        """Reads the runs in the folder. Measures nothing."""
        self.workload = self.workload or self.main_workloads[-1]
        self.soak = self._last_soak()
        self.session = Session(self.rows(self.store.read("rows")), self._measure, self.store, self.form.looks)

    def measure(self, options: argparse.Namespace) -> bool:
        """Measures the results that are missing in the folder. With --estimate, prints the time and returns False."""
        begin, spent = time.monotonic(), self.store.read("spent") or 0.0
        names = self.form.settings.get("capability", self.plan.data["capability"])
        self.capability = self._kept("capability", lambda: {name: self.runner.capability(name) for name in names})
        self.workload = options.workload or self.workload or self._largest(self.main_workloads)
        self.minutes = options.minutes or self.form.minutes
        wanted = options.rows.split(",") if options.rows else None
        for name, value in (("machine", self.facts), ("command", self.command), ("minutes", self.minutes),
                            ("workload", self.workload), ("rows", wanted)):
            self.store.write(name, value)
        rows = self.rows(wanted)
        if not options.estimate:
            self.fidelity = self._compared(rows)
        spent += time.monotonic() - begin
        self.store.write("spent", spent)
        left = self.minutes * 60 - spent
        self._fit(rows, left)
        print(f"{len(rows)} rows on {self.workload}: {self.form.looks.pairs[0]} pairs of each take about "
              f"{sum(map(self.seconds, rows)) / 60:.1f} minutes of {left / 60:.1f}; load {machine.load()}", flush=True)
        if options.estimate:
            for row in rows:
                print(f"{row.name}: {self.runner.changes(row).get('frames', '-')} frames, "
                      f"{self.seconds(row) / 60:.1f} min")
            return False
        self.session = Session(rows, self._measure, self.store, self.form.looks, left,
                               lambda text: print(text, flush=True), self.check)
        self.session.run()
        self.soak = self._last_soak()
        if options.soak:
            self.soak = self._kept(f"soak-{options.soak:g}", lambda: self._played(options.soak))
        return True

    @property
    def has_failed_soak(self) -> bool:
        return bool(self.soak and "error" in self.soak)

    @property
    def repeated(self) -> str:
        """The command that repeats the results, including the long run of an earlier command."""
        if not self.soak or "--soak" in self.command:
            return self.command
        return f"{self.command} --soak {self.soak['minutes']:g}"

    def _last_soak(self) -> dict | None:
        soaks = sorted(self.store.folder.glob("soak-*.json"), key=lambda path: path.stat().st_mtime)
        return self.store.read(soaks[-1].stem) if soaks else None

    def _played(self, minutes: float) -> dict:
        """One long run with everything on."""
        frames = round(minutes * 60 * self.plan.data["run"]["rate"])
        return {"minutes": minutes, **self.runner.play(
            self.workload, self.plan.measured, frames=frames, monitor=self.plan.data["soak"]["monitor"],
            **{"warm-frames": 25, "curve": True})}

    def _largest(self, names: list[str]) -> str:
        """The first (largest) workload that the machine plays in real time; if there is none, the last (smallest)."""
        return next((name for name in names if self.capability.get(name, {}).get("carried")), names[-1])

    def rows(self, wanted: list[str] | None = None) -> list[Row]:
        """The rows of the form with these names, and the row that measures the noise."""
        plain = self._largest(self.plan.data.get("plain-workloads", [self.workload]))
        rows = self.plan.rows(self.form, self.workload, plain)
        return [row for row in rows if wanted is None or row.is_noise or row.name in wanted]

    def _compared(self, rows: list[Row]) -> list[dict]:
        """The comparisons of pictures of these rows, and the stored comparisons of all other rows."""
        kept = self.store.read("fidelity") or []
        missing = [row for row in rows if row.name not in {one["row"] for one in kept}]
        return self._keep("fidelity", lambda: kept + fidelity.check(self.runner, missing)) if missing else kept

    def _kept(self, name: str, measure: Callable):
        """Reads a result from the folder, or measures it if it is missing."""
        found = self.store.read(name)
        return self._keep(name, measure) if found is None else found

    def _keep(self, name: str, measure: Callable):
        """Measures a result. Writes it to the folder unless one of its parts failed."""
        print(f"Measuring: {name}", flush=True)
        found = measure()
        parts = {"fidelity": list, "capability": dict.values}.get(name, lambda one: [one])(found)
        errors = [part["error"] for part in parts if "error" in part]
        for error in errors:
            print(f"{name}: {error}", flush=True)
        if not errors:
            self.store.write(name, found)
        return found

    def _fit(self, rows: list[Row], left: float) -> None:
        """Computes the frames per run that the time permits. Computes them once, so that all runs are equally long."""
        if fit := self.form.settings.get("fit"):
            found = self.runner.frames or self.fitted(rows, left, fit["least"], fit["most"])
            # A row that was added after this computation gets the smallest number of the other rows.
            self.runner.frames = found | {row.name: found.get(row.name, min(found.values()))
                                          for row in self._flexible(rows)}
            self.store.write("frames", self.runner.frames)

    def _flexible(self, rows: list[Row]) -> list[Row]:
        """The rows whose number of frames follows from the available time, and not from heat or the plan."""
        given = self.form.settings.get("row-run", {})
        return [row for row in rows if not row.is_heated and given.get(row.name, {}).get("frames") is None]

    def fitted(self, rows: list[Row], seconds: float, least: int, most: int) -> dict[str, int]:
        """Number of frames of each flexible row, so that all rows reach their first look after `seconds`."""
        flexible = self._flexible(rows)
        if not flexible:
            return {}
        left = seconds - sum(self.seconds(row) for row in rows if row not in flexible)
        each = left / (2 * self.form.looks.pairs[0] * len(flexible))
        frames = min((each - self._extra(row)) * self.runner.row_settings(row)["rate"] for row in flexible)
        return {row.name: max(least, min(most, int(frames))) for row in flexible}

    def seconds(self, row: Row) -> float:
        """Duration of all pairs of a row up to its first look, in s."""
        settings, pairs, extra = self.runner.row_settings(row), self.form.looks.pairs[0], self._extra(row)
        if heat := settings.get("heat"):
            # Runs with everything off end at the limit. Runs with the switch on are assumed to end at the horizon.
            before, after = (minutes / heat["minutes-per-second"] + WARM + extra
                             for minutes in (self.runner.model.minutes, self.runner.model.horizon))
            return pairs * (before + after) + FIRST * before
        return 2 * pairs * (settings["frames"] / settings["rate"] + extra)

    def _extra(self, row: Row) -> float:
        known = [found["extra"] for found in self.capability.values() if "extra" in found]
        return self.capability.get(row.workload, {}).get("extra", statistics.median(known or [EXTRA])) + WAIT

    def _measure(self, row: Row, is_after: bool) -> dict:
        if row.is_heated:
            self.runner.normal_load = self.normal_load(row, self.session.runs(row, False))
        return self.runner.measure(row, is_after)

    def normal_load(self, row: Row, off: list[dict]) -> float:
        """CPU usage with everything off, in cores: the median of the latest runs. The heat model divides by it.

        The median follows a drift of the machine. All runs of a block use the same value. The first block uses the
        median of additional runs, which are as long as the runs with everything off.
        """
        if row.name not in self._loads:
            self._loads[row.name] = [self._first_load(row) for _ in range(FIRST)]
            self.store.write("loads", self._loads)
        return statistics.median([*self._loads[row.name], *(run["load"] for run in off)][-LATEST:])

    def _first_load(self, row: Row) -> float:
        """CPU usage, in cores, of one additional run with everything off.

        The run is as long as the time after which the heat model of this row reaches its limit.
        """
        settings = self.runner.row_settings(row, row.before)
        seconds = self.runner.model.minutes / settings["heat"]["minutes-per-second"]
        frames = settings["warm-frames"] + round(seconds * settings["rate"])
        run = self.runner.play(row.workload, row.before, **{**self.runner.changes(row), "heat": None, "frames": frames})
        if "error" in run:
            raise PlanError(f"The CPU of {row.workload} with everything off cannot be measured: {run['error']}")
        return run["figures"]["cpu"]
