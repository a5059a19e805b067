"""A SIMULATION of a machine that gets hot: no temperature is measured.

The machine is one thermal mass with passive cooling, dx/dt = (K * P - x) / tau, where x is the rise above the ambient
temperature, and P the power relative to that of the pipeline with everything off:

    P = idle + (1 - idle) * (CPU used / CPU used with everything off)

K is chosen so that the pipeline with everything off reaches the limit after `minutes`, the figure of the claim, from
the temperature of the idle machine. Absolute times therefore follow from the claim, and only ratios are results.
"""
import math
import os
from dataclasses import dataclass


@dataclass(frozen=True)
class HeatModel:
    """The constants of the machine."""

    ambient: float = 25
    limit: float = 90
    # Time constant in minutes, and the share of the power that an idle machine takes.
    tau: float = 10
    idle: float = 0.3
    minutes: float = 18
    # The longest time that is simulated; a run that stays cool has this value.
    horizon: float = 60

    @property
    def rise(self) -> float:
        """K: the rise above ambient at the power of the pipeline with everything off."""
        return (self.limit - self.ambient) / (1 - (1 - self.idle) * math.exp(-self.minutes / self.tau))

    @property
    def start(self) -> float:
        """The temperature of the idle machine."""
        return self.ambient + self.idle * self.rise

    def power(self, load: float) -> float:
        """The relative power at a load relative to that with everything off."""
        return self.idle + (1 - self.idle) * load

    def step(self, temperature: float, load: float, minutes: float) -> float:
        """The temperature after some minutes at constant load; exact for any step."""
        end = self.ambient + self.rise * self.power(load)
        return end + (temperature - end) * math.exp(-minutes / self.tau)

    def minutes_until_limit(self, load: float) -> float:
        """Minutes until the limit at constant load, at most the horizon."""
        end = self.ambient + self.rise * self.power(load)
        if end <= self.limit:
            return self.horizon
        return min(self.horizon, self.tau * math.log((end - self.start) / (end - self.limit)))


class HeatedMachine:
    """A folder in place of the root of the file system whose temperature follows the model."""

    def __init__(self, folder: str, model: HeatModel, normal_load: float, minutes_per_second: float) -> None:
        self.model, self.normal_load, self.speed = model, normal_load, minutes_per_second
        self.temperature, self.minutes, self.reached = model.start, 0.0, None
        # CPU and seconds so far.
        self.used, self.seconds = 0.0, 0.0
        self.curve: list[tuple[float, float]] = []
        self._zone = write_machine(folder, model.start)

    def run(self, seconds: float, cpu: float) -> None:
        """Advances by `seconds` in which the pipeline used `cpu` seconds."""
        if seconds <= 0 or self.is_done:
            return
        self.temperature = self.model.step(self.temperature, cpu / seconds / self.normal_load, seconds * self.speed)
        self.used, self.seconds = self.used + cpu, self.seconds + seconds
        self.minutes += seconds * self.speed
        self.curve.append((round(self.minutes, 2), round(self.temperature, 2)))
        if self.temperature >= self.model.limit:
            self.reached = self.minutes
        _write(self._zone, "temp", round(self.temperature * 1000))

    @property
    def is_done(self) -> bool:
        return self.reached is not None or self.minutes >= self.model.horizon

    @property
    def load(self) -> float:
        """The mean CPU so far, in cores."""
        return self.used / max(1e-6, self.seconds)

    @property
    def result(self) -> float:
        """Simulated minutes until the limit."""
        return self.model.horizon if self.reached is None else self.reached


def write_machine(folder: str, degrees: float) -> str:
    """Writes the files of one thermal zone that slows down at 80 degrees and switches off at 100."""
    zone = os.path.join(folder, "sys/class/thermal/thermal_zone0")
    os.makedirs(zone, exist_ok=True)
    for name, text in {"type": "cpu-thermal", "mode": "enabled", "trip_point_0_type": "passive",
                       "trip_point_0_temp": 80000, "trip_point_1_type": "critical", "trip_point_1_temp": 100000,
                       "temp": round(degrees * 1000)}.items():
        _write(zone, name, text)
    return zone


def _write(zone: str, name: str, text: object) -> None:
    """Replaces a file: a reader never finds an empty one."""
    new = os.path.join(zone, ".new")
    with open(new, "w", encoding="ascii") as file:
        file.write(f"{text}\n")
    os.replace(new, os.path.join(zone, name))
