"""The settings of an element, made from its properties."""

from __future__ import annotations

import math
import struct
from dataclasses import dataclass

from gi.repository import GObject

from . import texts

Value = bool | int | float | str
# A slider is not linear if the default is below this share of the range; it then is at a quarter of the slider.
_SMALL = 0.05
_STEEPEST = 10
# Longest range of a number that a slider can set.
_SLIDER_RANGE = 100_000


@dataclass(frozen=True)
class Setting:
    """A property of an element. The value of a choice is its nick."""

    name: str
    # "toggle", "integer", "real" or "choice".
    kind: str
    blurb: str
    group: str
    default: Value
    low: float = 0
    high: float = 1
    nicks: tuple[str, ...] = ()

    @property
    def label(self) -> str:
        text = self.name.replace("-", " ").replace("vhs", "VHS").replace("hifi", "Hi-Fi")
        return text[0].upper() + text[1:]

    @property
    def is_number(self) -> bool:
        return self.kind in ("integer", "real")

    @property
    def has_slider(self) -> bool:
        return self.is_number and self.high - self.low <= _SLIDER_RANGE

    def _share(self, value: Value) -> float:
        return min(1, max(0, (float(value) - self.low) / (self.high - self.low)))

    @property
    def exponent(self) -> float:
        """Exponent of the slider: 1 is linear, higher values give small numbers more room."""
        share = self._share(self.default)
        return min(_STEEPEST, math.log(share) / math.log(0.25)) if 0 < share < _SMALL else 1

    @property
    def digits(self) -> int:
        """Decimal places that an entry shows: at least those of the default."""
        if self.kind == "integer":
            return 0
        least = 2 if self.high - self.low <= 20 else 1
        return max(least, len(f"{float(text_of(self.default)):.10f}".rstrip("0").partition(".")[2]))

    @property
    def step(self) -> float:
        """Difference that a click on + or - makes: one in the last place."""
        return 10.0 ** -self.digits

    def position(self, value: Value) -> float:
        """Position of a value on the slider, from 0 to 1."""
        return self._share(value) ** (1 / self.exponent)

    def value(self, position: float) -> Value:
        """The value at a position of the slider, with as many decimal places as the entry shows."""
        return self.fitting(round(self.low + (self.high - self.low) * position ** self.exponent, self.digits))

    def fitting(self, value: Value) -> Value:
        """The nearest number that the setting can have; other values unchanged."""
        if not self.is_number:
            return value
        value = min(self.high, max(self.low, float(value)))
        return round(value) if self.kind == "integer" else single(value)

    def matches(self, search: str) -> bool:
        """Whether the name, the label or the blurb contains each word of a search."""
        text = f"{self.name} {self.label} {self.blurb}".lower()
        return all(word in text for word in search.lower().split())


def settings_of(element: GObject.Object) -> dict[str, Setting]:
    """The settings that a preset of the element stores, by their names, in the order of the signal."""
    stored, found, group = set(element.get_property_names()), {}, ""
    for spec in element.list_properties():
        if spec.name in stored and spec.owner_type == element.__gtype__:
            # A property that begins no group belongs to that of the property before it.
            group = texts.GROUPS.get(spec.name, group)
            found[spec.name] = _setting(spec, element.get_property(spec.name), group)
    return found


def _setting(spec: GObject.ParamSpec, present: object, group: str) -> Setting:
    kind, default = spec.value_type.fundamental, spec.default_value
    if kind == GObject.TYPE_BOOLEAN:
        return Setting(spec.name, "toggle", spec.blurb, group, bool(default))
    if kind == GObject.TYPE_ENUM:
        # With PyGObject 3.50, only the class of a value knows the others.
        values = type(present).__enum_values__
        return Setting(spec.name, "choice", spec.blurb, group, values[int(default)].value_nick,
                       nicks=tuple(value.value_nick for value in values.values()))
    kind = "real" if kind in (GObject.TYPE_FLOAT, GObject.TYPE_DOUBLE) else "integer"
    return Setting(spec.name, kind, spec.blurb, group, default, spec.minimum, spec.maximum)


def governor(name: str, settings: dict[str, Setting]) -> str | None:
    """The toggle without which a setting has no effect: `luma-noise` of `luma-noise-detail`. None if there is none."""
    for toggle in settings.values():
        stem = toggle.name.removesuffix("-enabled")
        if toggle.kind == "toggle" and name != toggle.name and (name == stem or name.startswith(stem + "-")):
            return toggle.name
    return None


def single(value: float) -> float:
    """The nearest number of 32 bits, which is what a property of the elements holds."""
    return struct.unpack("f", struct.pack("f", value))[0]


def text_of(value: Value) -> str:
    """The value as a launch line contains it. A real number has as few digits as 32 bits require."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, float):
        rounded = (float(f"{value:.{digits}g}") for digits in range(1, 18))
        return repr(next(number for number in rounded if single(number) == single(value))).removesuffix(".0")
    return str(value)


def values_of(element: GObject.Object, settings: dict[str, Setting]) -> dict[str, Value]:
    values = {name: element.get_property(name) for name in settings}
    return {name: value.value_nick if isinstance(value, GObject.GEnum) else value for name, value in values.items()}


def set_values(element: GObject.Object, values: dict[str, Value]) -> None:
    for name, value in values.items():
        element.set_property(name, value)
