"""Reads the batteries that supply the machine, and decides when models that are not critical stop."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

# Below the first charge, models that are not critical stop. They return at the second one, or while a charger supplies
# the machine. A battery whose charge is shown in steps of 1 % does not load and unload a model in turn.
LOW, ENOUGH = 0.20, 0.25
# Time to which the target `battery` refers, in hours.
TARGET_HOURS = 0.5


@dataclass(frozen=True)
class Battery:
    """Charge of all batteries together, as a share, and their capacity in Wh. The capacity is None if it is unknown."""

    charge: float
    is_discharging: bool
    capacity: float | None = None

    def watts(self, percent: float) -> float | None:
        """The power that takes `percent` of the capacity in half an hour."""
        return None if self.capacity is None else percent / 100 * self.capacity / TARGET_HOURS


def read(root: Path = Path("/")) -> Battery | None:
    """Reads the files of /sys/class/power_supply below `root`. None without a battery that supplies the machine."""

    def text(folder: Path, name: str) -> str:
        try:
            return (folder / name).read_text(encoding="ascii", errors="replace").strip()
        except OSError:
            return ""

    def number(folder: Path, name: str) -> float | None:
        found = text(folder, name)
        return int(found) / 1e6 if found.isascii() and found.isdecimal() else None

    charges, capacities, states = [], [], []
    for folder in sorted((root / "sys/class/power_supply").glob("*")):
        if text(folder, "type") != "Battery" or text(folder, "scope") == "Device":
            continue
        now, full = number(folder, "energy_now"), number(folder, "energy_full")
        if now is None or not full:
            # Some batteries measure charge instead of energy, in µAh.
            now, full, volts = (number(folder, name) for name in ("charge_now", "charge_full", "voltage_now"))
            now, full = (each * volts if each and volts else None for each in (now, full))
        percent = number(folder, "capacity")
        if full and now is not None:
            charges.append(min(now / full, 1.0))
        elif percent is not None and percent * 1e6 <= 100:
            charges.append(percent * 1e4)
        else:
            continue
        capacities.append(full)
        states.append(text(folder, "status") == "Discharging")
    if not charges:
        return None
    if all(capacities):
        capacity = sum(capacities)
        return Battery(sum(one * of for one, of in zip(charges, capacities)) / capacity, any(states), capacity)
    return Battery(sum(charges) / len(charges), any(states))


@dataclass
class BatteryLimit:
    """Limit of the power while a battery supplies the machine. `percent` is the target `battery`, or None."""

    percent: float | None
    _watts: float | None = None

    def watts(self, battery: Battery | None) -> float | None:
        """Returns the limit in watts. None without a limit.

        The capacity that the first reading gives is used to the end. Where it is computed from the voltage, it changes
        with each reading, and new targets would clear all alerts of perfmonitor.
        """
        if self.percent is None or battery is None or not battery.is_discharging:
            return None
        if self._watts is None:
            self._watts = battery.watts(self.percent)
        return self._watts


@dataclass
class BatteryGuard:
    """Stops models that are not critical while the battery is low. Measures how fast the battery loses its charge."""

    is_low: bool = False
    # Charge of the last update, and times and charges of the first and the last change.
    _charge: float | None = None
    _first: tuple[float, float] | None = None
    _last: tuple[float, float] | None = None

    def update(self, battery: Battery | None, now: float) -> bool:
        """Returns True if a model that is not critical may run. `now` is in seconds."""
        if battery is None or not battery.is_discharging:
            self.is_low, self._charge, self._first, self._last = False, None, None, None
            return True
        self.is_low = battery.charge < (ENOUGH if self.is_low else LOW)
        # The charge falls in steps, so the time between two steps is measured. The start is not at a step.
        if self._charge is not None and battery.charge != self._charge:
            self._last = (now, battery.charge)
            self._first = self._first or self._last
        self._charge = battery.charge
        return not self.is_low

    @property
    def percent(self) -> float | None:
        """Charge that the battery loses in half an hour, in percent. None if it was not measured."""
        if self._first is None or self._last is None or self._last[0] <= self._first[0]:
            return None
        hours = (self._last[0] - self._first[0]) / 3600
        return (self._first[1] - self._last[1]) * 100 * TARGET_HOURS / hours
