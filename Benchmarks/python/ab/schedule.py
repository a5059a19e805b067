"""How many frames the runs of a form have, so that the first look of all rows ends in the time of the form."""
import statistics

from calibration import FIRST
from heat import HeatModel
from plan import Plan, Row

# Time of a run beyond its stream if it was not measured, and the wait for frames that were lost, in s.
EXTRA, WAIT = 0.5, 0.15
# Runs of rows with heat last until the limit or the horizon; the switch is assumed to reach the horizon. Runs of the
# calibration are as long as those of the off side.
WARM = 0.5


class Schedule:
    """The length of the runs of all rows. The rows whose `row-run` gives a number of frames keep it."""

    def __init__(self, plan: Plan, rows: list[Row], runner, pairs: int, capability: dict[str, dict]) -> None:
        self.plan, self.rows, self.runner, self.pairs, self.capability = plan, rows, runner, pairs, capability

    @property
    def flexible(self) -> list[Row]:
        """The rows whose number of frames follows from the time."""
        return [row for row in self.rows if self._fixed(row) is None]

    def fit(self, seconds: float, least: int, most: int) -> dict[str, int]:
        """Frames of the rows that may be shorter or longer, equal for all of them, for a time for all rows."""
        flexible = self.flexible
        if not flexible:
            return {}
        left = seconds - sum(self.seconds(row) for row in self.rows if row not in flexible)
        each = left / (2 * self.pairs * len(flexible))
        frames = min((each - self._extra(row)) * self._settings(row)["rate"] for row in flexible)
        return {row.name: max(least, min(most, int(frames))) for row in flexible}

    def seconds(self, row: Row) -> float:
        """Time of all pairs of the first look of a row."""
        settings = self._settings(row)
        if heat := settings.get("heat"):
            model = HeatModel(**{**self.plan.data.get("heat-model", {}), **heat.get("model", {})})
            before, after = (minutes / heat["minutes-per-second"] + WARM + self._extra(row)
                             for minutes in (model.minutes, model.horizon))
            return self.pairs * (before + after) + FIRST * before
        return 2 * self.pairs * (settings["frames"] / settings["rate"] + self._extra(row))

    def _settings(self, row: Row) -> dict:
        return self.runner.settings_of(row.workload, (), self.runner.changes(row))

    def _fixed(self, row: Row) -> int | None:
        """The frames of a row whose number does not follow from the time."""
        if self.runner.has_heat(row):
            return 0
        return self.runner.settings.get("row-run", {}).get(row.name, {}).get("frames")

    def _extra(self, row: Row) -> float:
        known = [found["extra"] for name, found in self.capability.items() if "extra" in found]
        return self.capability.get(row.workload, {}).get("extra", statistics.median(known or [EXTRA])) + WAIT
