"""A SIMULATION of a machine that gets hot. No temperature is measured.

The machine is one thermal mass with passive cooling, dx/dt = (K * P - x) / tau, where x is the rise above the ambient
temperature, and P the power relative to that of the pipeline with everything off:

    P = idle + (1 - idle) * (CPU used / CPU used with everything off)

K is chosen so that the pipeline with everything off heats the machine from its idle temperature to the limit in
`minutes`, the time that the claim states. Absolute times therefore follow from the claim. Only ratios are results.
"""
import math
import os
from dataclasses import dataclass


@dataclass(frozen=True)
class HeatModel:
    """The constants of the simulated machine, in degrees Celsius and minutes."""

    ambient: float = 25
    limit: float = 90
    tau: float = 10
    idle: float = 0.3  # Power of an idle machine, relative to that of the pipeline with everything off.
    minutes: float = 18
    horizon: float = 60  # The longest simulated time, also used for a run that does not reach the limit.

    @property
    def rise(self) -> float:
        """K: the final rise above the ambient temperature at the power of the pipeline with everything off."""
        return (self.limit - self.ambient) / (1 - (1 - self.idle) * math.exp(-self.minutes / self.tau))

    @property
    def start(self) -> float:
        """The temperature of the idle machine."""
        return self.final(0)

    def final(self, load: float) -> float:
        """The final temperature at a constant load, where 1 is the load of the pipeline with everything off."""
        return self.ambient + self.rise * (self.idle + (1 - self.idle) * load)

    def step(self, temperature: float, load: float, minutes: float) -> float:
        """The temperature after some minutes at constant load. The result is exact for any number of minutes."""
        return self.final(load) + (temperature - self.final(load)) * math.exp(-minutes / self.tau)

    def minutes_between(self, begin: float, end: float, load: float) -> float:
        """Minutes from one temperature to a higher one at constant load; infinite if the machine never reaches it."""
        final = self.final(load)
        return self.tau * math.log((final - begin) / (final - end)) if final > end else math.inf


class HeatedMachine:
    """A simulated machine. Its temperature is in a folder that `thermalcaps` reads instead of the root folder."""

    def __init__(self, folder: str, model: HeatModel, normal_load: float, minutes_per_second: float) -> None:
        self.model, self.normal_load, self.speed = model, normal_load, minutes_per_second
        self.temperature, self.minutes = model.start, 0.0
        # Total CPU time and duration so far, in s.
        self.used, self.seconds = 0.0, 0.0
        # Simulated minute and temperature after each step.
        self.curve: list[tuple[float, float]] = []
        self._zone = write_machine(folder, model.start)

    def run(self, seconds: float, cpu: float) -> None:
        """Advances the simulation by `seconds`, in which the pipeline used `cpu` seconds of CPU time."""
        self.temperature = self.model.step(self.temperature, cpu / seconds / self.normal_load, seconds * self.speed)
        self.used, self.seconds = self.used + cpu, self.seconds + seconds
        self.minutes += seconds * self.speed
        self.curve.append((round(self.minutes, 2), round(self.temperature, 2)))
        _write(self._zone, "temp", round(self.temperature * 1000))

    @property
    def is_done(self) -> bool:
        return self.temperature >= self.model.limit or self.minutes >= self.model.horizon

    @property
    def result(self) -> float:
        """Simulated minutes until the limit, or the horizon if the limit was not reached."""
        return self.minutes if self.temperature >= self.model.limit else self.model.horizon


def write_machine(folder: str, degrees: float) -> str:
    """Writes a thermal zone that throttles at 80 degrees and shuts down at 100. Returns its folder."""
    zone = os.path.join(folder, "sys/class/thermal/thermal_zone0")
    os.makedirs(zone, exist_ok=True)
    for name, text in {"type": "cpu-thermal", "mode": "enabled", "trip_point_0_type": "passive",
                       "trip_point_0_temp": 80000, "trip_point_1_type": "critical", "trip_point_1_temp": 100000,
                       "temp": round(degrees * 1000)}.items():
        _write(zone, name, text)
    return zone


def _write(zone: str, name: str, text: object) -> None:
    """Replaces a file atomically, so that a reader never finds an empty file."""
    new = os.path.join(zone, ".new")
    with open(new, "w", encoding="ascii") as file:
        file.write(f"{text}\n")
    os.replace(new, os.path.join(zone, name))
