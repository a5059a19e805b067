"""Starts a process for each run."""
import json
import os
import statistics
import subprocess
import tempfile
import time
from dataclasses import asdict

import native
from heat import HeatModel, write_machine
from plan import Plan, PlanError, Row
from this_machine import free_port

FOLDER = os.path.dirname(os.path.abspath(__file__))
# Debian's package python3-gi is installed for this interpreter.
PYTHON = "/usr/bin/python3"
# Maximum time of a run beyond the duration of its stream, in s.
PATIENCE = 300
# Temperature in °C of the simulated machine in rows that are not about heat.
COOL = 40
# A run is in real time if `SHARE` of its frames arrive, and if P95 of the ages after the warm-up and the ages of the
# last `LAST` frames are at most `OLDEST` ms. Older frames mean that frames pile up, or that the run ends before the
# backlog of its start is gone. A workload is in real time if most of its runs are in real time.
SHARE, OLDEST, LAST = 0.98, 150, 10
RUNS, FRAMES, WARM_FRAMES = 3, 60, 15


class Runner:
    """Plays runs of both sides of each row. `settings` are the settings of the form."""

    def __init__(self, plan: Plan, settings: dict, libraries: str) -> None:
        self.plan, self.settings, self.libraries = plan, settings, libraries
        # Number of frames per run, by the name of the row, for the rows that `Results.fitted` fits to the time.
        self.frames: dict[str, int] = {}
        self.model = HeatModel(**plan.data.get("heat-model", {}))
        # CPU usage with everything off, in cores, by which the heat model divides.
        self.normal_load: float | None = None

    def measure(self, row: Row, is_after: bool) -> dict:
        """Plays one run of one side in a new process."""
        return self.play(row.workload, row.after if is_after else row.before, **self.changes(row))

    def changes(self, row: Row) -> dict:
        """The settings that a row changes in its runs."""
        frames = {"frames": self.frames[row.name]} if row.name in self.frames else {}
        return {**frames, **self.settings.get("row-run", {}).get(row.name, {})}

    def row_settings(self, row: Row, switches: tuple[str, ...] = ()) -> dict:
        """The settings of the runs of a row."""
        return self.settings_of(row.workload, switches, self.changes(row))

    def settings_of(self, workload: str, switches: tuple[str, ...], changes: dict) -> dict:
        """The settings of a run, from the plan, the form, the workload and its switches. `changes` override them."""
        settings = {**self.plan.data.get("run", {}), **self.settings.get("run", {}),
                    **self.plan.workloads[workload].get("run", {})}
        for switch in switches:
            settings.update(self.plan.switches[switch].get("run", {}))
        return settings | changes

    def play(self, workload: str, switches: tuple[str, ...], **changes) -> dict:
        """Plays one run of a workload. `changes` override its settings."""
        with tempfile.TemporaryDirectory(prefix="ab-run-", ignore_cleanup_errors=True) as folder:
            return self._finish(self._spec(workload, switches, folder, changes))

    def _spec(self, workload: str, switches: tuple[str, ...], folder: str, changes: dict) -> dict:
        settings = self.settings_of(workload, switches, changes)
        heat = settings.pop("heat", None)
        frames, rate = settings["frames"], settings["rate"]
        machine = os.path.join(folder, "machine")
        if heat:
            if not self.normal_load:
                raise PlanError("The heat model requires the CPU of the pipeline with everything off, "
                                "which is not known.")
            # The run ends at the limit or at the horizon of the heat model. The warm-up takes at most 2 s.
            frames = round((self.model.horizon / heat["minutes-per-second"] + 2) * rate)
            heat = {**heat, "model": asdict(self.model), "folder": machine, "load": self.normal_load}
        else:
            write_machine(machine, COOL)
        values = {"frames": frames, "rate": rate, "port": free_port(), "machine": machine, "folder": folder}
        if "monitor" in settings:
            settings["monitor"] = settings["monitor"].replace("{folder}", folder)
        member = "fidelity-pipeline" if settings.get("is-fidelity") else "pipeline"
        return {**settings, "frames": frames, "libraries": self.libraries, "heat": heat, "parent": os.getpid(),
                "result": os.path.join(folder, "result.json"), "limit": frames / rate + PATIENCE,
                "line": self.plan.launch_line(workload, switches, values, member)}

    def _finish(self, spec: dict) -> dict:
        environment = dict(os.environ)
        if spec.get("counter", True):
            environment["LD_PRELOAD"] = native.path(self.libraries, "counter")
        # Elements may print to standard output, so the process writes its result to a file.
        limit = spec["limit"] + PATIENCE
        try:
            ended = subprocess.run([PYTHON, FOLDER, "--child", json.dumps(spec)], stdin=subprocess.DEVNULL,
                                   stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, errors="replace",
                                   env=environment, timeout=limit)
        except subprocess.TimeoutExpired:
            return {"error": f"the process did not end within {limit:.0f} s"}
        if ended.returncode or not os.path.exists(spec["result"]):
            return {"error": (ended.stderr.strip().splitlines() or ["the process ended without a result"])[-1]}
        with open(spec["result"], encoding="utf-8") as file:
            return json.load(file)

    def capability(self, workload: str) -> dict:
        """Whether the machine plays a workload in real time with everything off and a fast receiver."""
        return summary([self._capability_run(workload) for _ in range(RUNS)])

    def _capability_run(self, workload: str) -> dict:
        begin = time.monotonic()
        changes = {"slow": None, "heat": None, "frames": FRAMES, "warm-frames": WARM_FRAMES}
        run = self.play(workload, (), **changes)
        if "error" in run:
            return run
        # Time that the run takes beyond the duration of its stream, for the start of the process and the last frames.
        extra = time.monotonic() - begin - FRAMES / self.settings_of(workload, (), changes)["rate"]
        return {**run["figures"], "oldest": max(age for _, age in run["ages"][-LAST:]), "extra": extra}


def summary(runs: list[dict]) -> dict:
    """Medians of the runs that succeeded, and whether most runs were in real time."""
    ended = [run for run in runs if "error" not in run]
    if not ended:
        return {"error": runs[0]["error"], "carried": False}
    carried = sum(run["drops"] <= 100 * (1 - SHARE) and max(run["oldest"], run.get("age-p95", 0)) <= OLDEST
                  for run in ended)
    names = [name for name in ended[0] if all(name in run for run in ended)]
    return {**{name: statistics.median(run[name] for run in ended) for name in names},
            "carried": 2 * carried > len(runs), "carried-runs": carried, "runs": len(runs)}
