"""Reads a target from a targets file of perfmonitor, and makes the value of its property `targets` for each tier."""

from __future__ import annotations

import json
import sys
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path

# Frame rate of the tier "off". thermalcaps supports no lower rate. In this tier, frames pass without inference.
OFF_RATE = Fraction(1)
# Number of levels of custom-ladder of thermalcaps.
MOST_TIERS = 4

UNITS = {"MiB": 1 << 20, "GiB": 1 << 30, "kB": 1000, "MB": 10**6, "GB": 10**9}


@dataclass(frozen=True)
class Row:
    """Target of one model. `rates` are the full rate and the lower tiers, in order. None is the tier "off"."""

    name: str
    rates: tuple[Fraction | None, ...]
    words: dict[str, str] = field(default_factory=dict)
    memory: float | None = None
    # Power of the machine in watts, and percent of the charge of the battery in half an hour.
    energy: float | None = None
    battery: float | None = None

    def tier(self, rate: Fraction) -> int:
        """Index in `rates` of the tier for this frame rate.

        The source may be slower than the lowest tier. Only a rate of at most OFF_RATE selects the tier "off".
        """
        if self.rates[-1] is None and rate <= OFF_RATE:
            return len(self.rates) - 1
        known = [each for each in self.rates if each is not None]
        return min(range(len(known)), key=lambda index: abs(known[index] - rate))

    def is_off(self, tier: int) -> bool:
        return self.rates[tier] is None

    def seconds(self, word: str) -> float | None:
        """A latency limit, such as p95, in seconds."""
        text = self.words.get(word)
        if text is None:
            return None
        for unit, factor in (("us", 1e-6), ("ms", 1e-3), ("s", 1.0)):
            if text.endswith(unit):
                return float(text.removesuffix(unit)) * factor
        raise ValueError(f"{word} of {self.name} is \"{text}\", which has no unit of time.")

    def text(self, tier: int | None, window: str | None = None, memory: float | None = None,
             watts: float | None = None) -> str:
        """Value of `targets` for a tier: the rate of the tier, and the other limits of the file.

        With the full rate, perfmonitor would raise an alert in each lower tier and vote for an even lower one. The tier
        "off" and None have only the limits of `pipeline`: `memory` of the process in bytes, and `watts` of the machine,
        None without a limit. `window` replaces the window of the file.
        """
        parts = []
        rate = None if tier is None else self.rates[tier]
        if rate is not None:
            words = {"rate": str(rate)} | {word: value for word, value in self.words.items() if word != "rate"}
            if window:
                words["window"] = window
            lower = ["off" if each is None else str(each) for each in self.rates[tier + 1:]]
            if lower:
                words["tiers"] = "|".join(lower)
            parts.append(f"{self.name}: " + ", ".join(f"{word}={value}" for word, value in words.items()))
        limits = ([f"memory={memory / 1e6:.1f}MB"] if memory else []) + ([f"energy={watts:.3f}W"] if watts else [])
        if limits:
            parts.append("pipeline: " + ", ".join(limits + ([f"window={window}"] if window else [])))
        return "; ".join(parts)

    def ladder(self) -> str | None:
        """Value of `custom-ladder` of thermalcaps, with one level per tier. None without tiers.

        A request of perfmonitor always takes one step. If there are fewer than 4 tiers, the first level does not change
        the rate, so heat of the level `fair` has no effect. The policies of thermalcaps do the same.
        """
        tiers = [OFF_RATE if rate is None else rate for rate in self.rates[1:]]
        if not tiers:
            return None
        steps = [f"video/x-raw,framerate={rate.numerator}/{rate.denominator}" for rate in tiers]
        return "; ".join((["video/x-raw"] if len(steps) < MOST_TIERS else []) + steps)


def frames_per_second(text: str | int | float) -> Fraction:
    """Parses a rate such as 20, "20/s", "6/min" or "30000/1001"."""
    text = str(text)
    for unit, divisor in (("/s", 1), ("/min", 60)):
        if text.endswith(unit):
            return Fraction(text.removesuffix(unit)) / divisor
    return Fraction(text)


def amount(target: dict[str, str], word: str, units: dict[str, float]) -> float | None:
    """The value of a word with one of the units. None without the word."""
    if word not in target:
        return None
    for unit, factor in units.items():
        if target[word].endswith(unit):
            return float(target[word].removesuffix(unit)) * factor
    raise ValueError(f"{word} is \"{target[word]}\", without a unit ({', '.join(units)}).")


def read(file: Path, name: str) -> Row:
    """Reads the target `name` and the thresholds of the file. Ends the program if the target is missing or invalid."""
    try:
        content = json.loads(file.read_text(encoding="utf-8"))
        target = content["targets"][name]
        words = {word: str(value) for word, value in (content.get("thresholds", {}) | target).items()
                 if word not in ("description", "tiers", "memory", "energy", "battery")}
        tiers = tuple(None if tier == "off" else frames_per_second(tier) for tier in target.get("tiers", []))
        rates = (frames_per_second(target["rate"]), *tiers)
        memory = amount(target, "memory", UNITS)
        row = Row(name, rates, words, memory, amount(target, "energy", {"mW": 1e-3, "W": 1}),
                  amount(target, "battery", {"%": 1}))
        row.seconds("p95")
    except (OSError, ValueError, AttributeError, TypeError, ZeroDivisionError) as error:
        sys.exit(f"The targets in {file} cannot be read: {error}")
    except KeyError as error:
        sys.exit(f"{file} has no target \"{name}\" with a rate: {error} is missing.")
    if len(tiers) > MOST_TIERS:
        sys.exit(f"The target \"{name}\" in {file} has {len(tiers)} tiers; thermalcaps has {MOST_TIERS} levels.")
    if any(rate is None for rate in rates[:-1]) or sorted(
            (rate for rate in rates if rate), reverse=True) != [rate for rate in rates if rate]:
        sys.exit(f"The tiers of \"{name}\" in {file} do not fall from the rate on, with \"off\" last.")
    numbers = [rate for rate in rates if rate is not None]
    if None in rates and min(numbers) <= OFF_RATE:
        sys.exit(f"The target \"{name}\" in {file} has the rate {min(numbers)}/s and the tier \"off\", "
                 f"in which thermalcaps passes {OFF_RATE}/s; rates with \"off\" must be above that.")
    if tiers and min(numbers) < OFF_RATE:
        sys.exit(f"The target \"{name}\" in {file} has the rate {min(numbers)}/s and tiers; thermalcaps has no rates "
                 f"below {OFF_RATE}/s.")
    return row
