"""How the simulated times depend on the constants of the heat model.

The share of the power that an idle machine takes has no influence: K is calibrated, and the share cancels.
"""
import wording
from heat import HeatModel
from metrics import METRICS

# Time constants in minutes.
CONSTANTS = (5.0, 10.0, 20.0, 40.0)


def table(results) -> list[list[str]]:
    """Minutes until the limit at the CPU of each row. The row in whose runs the temperature acts is left out."""
    found = [["row", *(f"τ = {tau:g} min" for tau in CONSTANTS)]]
    verdicts = results.session.verdicts()
    for row in results.session.rows:
        evidence = verdicts[row.name, "cpu-frame"].evidence
        if evidence is None or row.is_noise or "heat" in row.primary:
            continue
        cells = []
        for tau in CONSTANTS:
            settings = {**results.plan.data.get("heat-model", {}), "tau": tau}
            minutes = HeatModel(**settings).minutes_until_limit(evidence.effect.median)
            cells.append(f"≥ {minutes:g}" if minutes >= METRICS["heat"].ceiling else wording.number(minutes, 1))
        found.append([row.title, *cells])
    return found
