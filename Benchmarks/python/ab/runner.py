"""Starts the processes of the runs."""
import json
import os
import shutil
import socket
import subprocess
import tempfile

from heat import HeatModel, write_machine
from line import launch_line
from native import path
from plan import Plan, PlanError, Row

FOLDER = os.path.dirname(os.path.abspath(__file__))
# Debian's, which has gi.
PYTHON = "/usr/bin/python3"
# Seconds that a run may take beyond the length of its stream.
PATIENCE = 300
# Degrees of the machine of rows that are not about heat.
COOL = 40


class Runner:
    """Plays sides of rows; `settings` are those of the form."""

    def __init__(self, plan: Plan, settings: dict, libraries: str) -> None:
        self.plan, self.settings, self.libraries = plan, settings, libraries
        # Frames of each run by row, where they follow from the time of the form.
        self.frames: dict[str, int] = {}
        # CPU of the side that is off, in cores, which the heat model refers to.
        self.normal_load: float | None = None

    def measure(self, row: Row, is_after: bool) -> dict:
        """One run of one side in a fresh process."""
        return self.play(row.workload, row.after if is_after else row.before, **self.changes(row))

    def changes(self, row: Row) -> dict:
        """Settings of the runs that a row changes."""
        frames = {"frames": self.frames[row.name]} if row.name in self.frames else {}
        return {**frames, **self.settings.get("row-run", {}).get(row.name, {})}

    def has_heat(self, row: Row) -> bool:
        """Whether the temperature acts in the runs of a row."""
        return bool(self.settings_of(row.workload, (), self.changes(row)).get("heat"))

    def play(self, workload: str, switches: tuple[str, ...], **changes) -> dict:
        """One run of a workload; `changes` override its settings."""
        folder = tempfile.mkdtemp(prefix="ab-run-")
        try:
            return self._finish(self._spec(workload, switches, folder, changes))
        finally:
            shutil.rmtree(folder, ignore_errors=True)

    def settings_of(self, workload: str, switches: tuple[str, ...], changes: dict) -> dict:
        """The settings of a run: those of the plan, the form, the workload, its switches, and `changes`."""
        settings = {**self.plan.data.get("run", {}), **self.settings.get("run", {}),
                    **self.plan.workloads[workload].get("run", {})}
        for switch in switches:
            settings.update(self.plan.switches[switch].get("run", {}))
        return settings | changes

    def _spec(self, workload: str, switches: tuple[str, ...], folder: str, changes: dict) -> dict:
        settings = self.settings_of(workload, switches, changes)
        heat = settings.pop("heat", None)
        frames, rate = settings["frames"], settings["rate"]
        machine = os.path.join(folder, "machine")
        if heat:
            heat = self._heat(heat, machine)
            horizon = HeatModel(**heat["model"]).horizon
            # The run ends at the limit or at the horizon, which the warm-up precedes.
            frames = round((horizon / heat["minutes-per-second"] + 2) * rate)
        else:
            write_machine(machine, COOL)
        values = {"frames": frames, "rate": rate, "port": _free_port(), "machine": machine, "folder": folder}
        if "monitor" in settings:
            settings["monitor"] = settings["monitor"].replace("{folder}", folder)
        pipeline = self.plan.data["fidelity-pipeline"] if settings.get("is-fidelity") else None
        return {**settings, "frames": frames, "libraries": self.libraries, "heat": heat, "parent": os.getpid(),
                "result": os.path.join(folder, "result.json"),
                "line": launch_line(self.plan, workload, switches, values, pipeline),
                "limit": frames / rate + PATIENCE}

    def _heat(self, heat: dict, machine: str) -> dict:
        model = {**self.plan.data.get("heat-model", {}), **heat.get("model", {})}
        if not self.normal_load:
            raise PlanError("The heat model requires the CPU of the pipeline with everything off, which is not known.")
        return {"model": model, "minutes-per-second": heat["minutes-per-second"], "folder": machine,
                "load": self.normal_load}

    def _finish(self, spec: dict) -> dict:
        environment = dict(os.environ)
        if spec.get("counter", True):
            environment["LD_PRELOAD"] = path(self.libraries, "counter")
        # Elements may print to the standard output, so that the result comes in a file.
        process = subprocess.Popen([PYTHON, FOLDER, "--child", json.dumps(spec)], stdin=subprocess.DEVNULL,
                                   stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, errors="replace",
                                   env=environment)
        try:
            said = process.communicate(timeout=spec["limit"] + PATIENCE)[1]
        except subprocess.TimeoutExpired:
            process.kill()
            process.communicate()
            return {"error": f"the process did not end within {spec['limit'] + PATIENCE:.0f} s"}
        except BaseException:
            process.kill()
            process.wait()
            raise
        if process.returncode or not os.path.exists(spec["result"]):
            return {"error": (said.strip().splitlines() or ["the process ended without a result"])[-1]}
        with open(spec["result"], encoding="utf-8") as file:
            return json.load(file)


def _free_port() -> int:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]
