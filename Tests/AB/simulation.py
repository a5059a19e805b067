"""Simulated runs for the tests of the statistics. The tests use the session and the verdicts of Benchmarks/ab."""
import math

import numpy

from plan import Row

# Relative standard deviation of each figure, and of the drift of the machine from run to run. On two shared virtual
# processors with little other load, equal runs of the fast plan differed by 1.9 to 3.7 % (1.48 times the median).
# Simulated pairs differ by about 3 %.
SPREAD = {"cpu-frame": 0.02, "age-p50": 0.04, "age-p95": 0.08}
DRIFT = 0.004
# Other load: probability that a disturbance begins at a run, mean size, and fraction that remains at the next run.
DISTURBED, DISTURBANCE, PERSISTENCE = 0.04, 0.15, 0.6
BASE = {"cpu-frame": 4.0, "age-p50": 40.0, "age-p95": 60.0}
PRIMARY = ("cpu-frame", "age-p50", "age-p95")


class Machine:
    """Simulates the figures of runs. `effects` (factors) and `delays` (ms) change the "after" side of rows by name."""

    def __init__(self, seed: int, effects: dict[str, float] | None = None,
                 delays: dict[str, float] | None = None) -> None:
        self.random = numpy.random.default_rng(seed)
        self.effects, self.delays, self.level, self.disturbance = effects or {}, delays or {}, 0.0, 0.0

    def measure(self, row: Row, is_after: bool) -> dict:
        """Simulates one run, with slow drift, and with disturbances that last for several runs."""
        self.level += self.random.normal(0, DRIFT)
        self.disturbance *= PERSISTENCE
        if self.random.random() < DISTURBED:
            self.disturbance += self.random.exponential(DISTURBANCE)
        figures = {name: BASE[name] * math.exp(self.level + self.disturbance + self.random.normal(0, spread))
                   for name, spread in SPREAD.items()}
        if is_after:
            figures["cpu-frame"] *= self.effects.get(row.name, 1.0)
            for name in ("age-p50", "age-p95"):
                figures[name] += self.delays.get(row.name, 0.0)
        return {"figures": figures}


def row(name: str, is_noise: bool = False, primary: tuple[str, ...] = PRIMARY) -> Row:
    """A row of a plan, without a pipeline."""
    return Row(name, name, (), (name,), "simulated", primary=primary, is_noise=is_noise)


class Memory:
    """A store that keeps no results."""

    def read(self, _name: str) -> None:
        return None

    def write(self, _name: str, _content: object) -> None:
        pass

    def blocks(self, _row: str) -> list[dict]:
        return []
