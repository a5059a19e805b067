"""Reference of the heat model: the CPU with everything off, from runs beside those that are compared with it."""
import statistics

from heat import HeatModel
from plan import PlanError, Row
from runner import Runner

# Runs before the first block of a row with heat, and the latest runs whose median the next block refers to.
FIRST, LATEST = 3, 6


class Calibration:
    """The mean CPU in cores of the off side of rows in whose runs the temperature acts."""

    def __init__(self, runner: Runner, store, model: HeatModel) -> None:
        self.runner, self.store, self.model = runner, store, model
        self.first: dict[str, list[float]] = store.read("loads") or {}

    def load(self, row: Row, blocks: list[dict]) -> float:
        """The median of the latest runs of the off side, which a drift of the machine does not leave behind.

        All runs of a block refer to the same. The first block refers to runs of its own, as long as those of the row.
        """
        if row.name not in self.first:
            self.first[row.name] = [self._measured(row) for _ in range(FIRST)]
            self.store.write("loads", self.first)
        off = [run["load"] for block in blocks for run in block["runs"] if not run["after"]]
        return statistics.median([*self.first[row.name], *off][-LATEST:])

    def _measured(self, row: Row) -> float:
        """A run of the off side, with its warm-up and until the limit of the model."""
        changes = self.runner.changes(row)
        settings = self.runner.settings_of(row.workload, row.before, changes)
        seconds = self.model.minutes / settings["heat"]["minutes-per-second"]
        frames = settings["warm-frames"] + round(seconds * settings["rate"])
        run = self.runner.play(row.workload, row.before, **{**changes, "heat": None, "frames": frames})
        if "error" in run:
            raise PlanError(f"The CPU of {row.workload} with everything off cannot be measured: {run['error']}")
        return run["figures"]["cpu"]
