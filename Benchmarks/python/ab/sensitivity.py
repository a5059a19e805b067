"""The simulated times for other time constants of the heat model.

The share of the power that an idle machine takes has no influence: K is calibrated, and the share cancels.
"""
import math
import statistics

import wording
from heat import HeatModel
from metrics import METRICS

# Time constants in minutes.
CONSTANTS = (5.0, 10.0, 15.0, 20.0, 40.0)
# The temperature at which the simulated machine slows down, and `thermalcaps` takes its first step.
STEP = 80.0
# The shortest part of a run from which a load is derived, in minutes.
SHORTEST = 1.0


def table(results) -> list[list[str]]:
    """Minutes until the limit at the loads of the rows in whose runs the temperature acts."""
    found = [["row", "load of the simulated machine", *(f"τ = {tau:g} min" for tau in CONSTANTS)]]
    constants = results.plan.data.get("heat-model", {})
    for row in results.session.rows:
        if "heat" not in row.primary:
            continue
        off, on = (median_load(results, row, is_after, HeatModel(**constants)) for is_after in (False, True))
        if off is None or on is None:
            continue
        for title, words, later in ((f"{row.title}, off", f"{off:.2f}", off),
                                    (f"{row.title}, on", f"{off:.2f}, from {STEP:g} °C on {on:.2f}", on)):
            models = [HeatModel(**{**constants, "tau": tau}) for tau in CONSTANTS]
            times = [minutes(model, model.start, STEP, off) + minutes(model, STEP, model.limit, later)
                     for model in models]
            ceiling = METRICS["heat"].ceiling
            found.append([title, words, *(f"≥ {ceiling:g}" if time >= ceiling else wording.number(time, 1)
                                          for time in times)])
    return found


def median_load(results, row, is_after: bool, model: HeatModel) -> float | None:
    """The load above the temperature of the first step, relative to that with everything off; the median of a side."""
    runs = [run for block in results.session.blocks[row.name] for run in block["runs"] if run["after"] == is_after]
    loads = [load for run in runs if (load := load_of(run.get("heat", ()), model)) is not None]
    return statistics.median(loads) if loads else None


def load_of(curve: list[tuple[float, float]], model: HeatModel) -> float | None:
    """The constant load that heats the machine as a run did from the temperature of the first step on."""
    hot = next((point for point in curve if point[1] >= STEP), None)
    if hot is None or curve[-1][0] - hot[0] < SHORTEST:
        return None
    decay = math.exp(-(curve[-1][0] - hot[0]) / model.tau)
    end = (curve[-1][1] - hot[1] * decay) / (1 - decay)
    return ((end - model.ambient) / model.rise - model.idle) / (1 - model.idle)


def minutes(model: HeatModel, begin: float, end: float, load: float) -> float:
    """Minutes from one temperature to a higher one at constant load; infinite if it stays cooler."""
    final = model.ambient + model.rise * model.power(load)
    return model.tau * math.log((final - begin) / (final - end)) if final > end else math.inf
