"""Settings of pipelines/camera-lock, and the V4L2 controls that each setting changes."""

from __future__ import annotations

import re
from dataclasses import dataclass

from v4l2 import INACTIVE, Control, Device

# Ids from linux/v4l2-controls.h. All kernels have the same ids, but not the same names of controls.
AUTO_EXPOSURE, EXPOSURE, DYNAMIC_FRAMERATE = 0x009A0901, 0x009A0902, 0x009A0903
AUTO_WHITE_BALANCE, WHITE_BALANCE = 0x0098090C, 0x0098091A
AUTO_FOCUS, FOCUS = 0x009A090C, 0x009A090A
AUTO_GAIN, GAIN = 0x00980912, 0x00980913
# Ids of the controls of lamps: LED 1 of the Logitech extension unit, illuminator 1 of microscopes, and flash of phones.
LEDS = (0x0A046D05, 0x00980925, 0x009C0901)

EXPOSURE_MANUAL, EXPOSURE_APERTURE_PRIORITY, EXPOSURE_AUTO = 1, 3, 0
# Unit of the exposure time, in seconds.
EXPOSURE_UNIT = 1e-4
NOW = "now"
# Settings that apply if the user gives none. They keep the current values, and turn the automatic modes off.
DEFAULT = {"exposure": NOW, "dynamic-framerate": "off", "white-balance": NOW, "focus": NOW, "gain": NOW}


@dataclass(frozen=True)
class Pair:
    """Ids of the controls of a value and of its automatic mode. The mode has the value `manual`, or one in `auto`."""

    automatic: int
    value: int
    manual: int = 0
    auto: tuple[int, ...] = (1,)


PAIRS = {
    "exposure": Pair(AUTO_EXPOSURE, EXPOSURE, EXPOSURE_MANUAL, (EXPOSURE_APERTURE_PRIORITY, EXPOSURE_AUTO)),
    "white-balance": Pair(AUTO_WHITE_BALANCE, WHITE_BALANCE),
    "focus": Pair(AUTO_FOCUS, FOCUS),
    "gain": Pair(AUTO_GAIN, GAIN),
}
# Ids of all settings by name.
IDS = (*(id for pair in PAIRS.values() for id in (pair.automatic, pair.value)), DYNAMIC_FRAMERATE, *LEDS)
WORDS = (*PAIRS, "dynamic-framerate", "led")


class Mistake(Exception):
    """A setting that is not valid."""


@dataclass(frozen=True)
class Step:
    """Sets one control to `value`; None stands for its current value. If `is_only_saved`, only saves the value."""

    id: int
    value: int | None
    is_only_saved: bool = False


def number(word: str, value: str) -> int:
    """Parses a number. For the exposure, also parses a time such as 10ms."""
    times = {"us": 1e-6, "ms": 1e-3, "s": 1.0}
    found = re.fullmatch(r"([0-9]+(?:\.[0-9]+)?)(us|ms|s)", value)
    try:
        if found and word == "exposure":
            count = round(float(found[1]) * times[found[2]] / EXPOSURE_UNIT)
        else:
            count = int(value, 0)
    except ValueError:
        raise Mistake(f"{word}={value} is not a number{', a time such as 10ms,' if word == 'exposure' else ''} "
                      f"or one of {allowed(word)}.") from None
    if not -(1 << 31) <= count < 1 << 31:
        raise Mistake(f"{word}={value} does not fit into the 32 bits of a control.")
    return count


def allowed(word: str) -> str:
    return "auto, now" if word in PAIRS else "on, off"


def check(word: str, value: str) -> None:
    """Raises Mistake if no camera can have this setting."""
    if word not in WORDS and not re.fullmatch(r"0x[0-9A-Fa-f]{1,8}", word):
        raise Mistake(f"There is no setting {word}; the settings are {', '.join(WORDS)}, and the id of a control, "
                      "such as 0x0a046d05.")
    words = ("auto", NOW) if word in PAIRS else ("on", "off")
    if value not in words:
        number(word, value)


def steps(word: str, value: str, device: Device, controls: dict[int, Control]) -> list[Step]:
    """The steps of one setting, in order. The list is empty if the camera does not have the control."""
    if word in PAIRS:
        return pair_steps(PAIRS[word], word, value, device, controls)
    wanted = {"on": 1, "off": 0}.get(value)
    wanted = number(word, value) if wanted is None else wanted
    ids = {"dynamic-framerate": (DYNAMIC_FRAMERATE,), "led": LEDS}.get(word) or (int(word, 0),)
    return [Step(id, wanted) for id in ids if id in controls][:1]


def pair_steps(
        pair: Pair, word: str, value: str, device: Device, controls: dict[int, Control]) -> list[Step]:
    has_automatic, has_value = pair.automatic in controls, pair.value in controls
    if value == "auto":
        items = [each for each in pair.auto if word != "exposure" or device.has_item(pair.automatic, each)]
        if not has_automatic:
            return []
        # Many cameras change the value in automatic mode, so save the manual value first.
        saved = [Step(pair.value, None, is_only_saved=True)] if has_value and is_manual(pair, device) else []
        return saved + [Step(pair.automatic, (items or pair.auto)[0])]
    # In automatic mode, the value is inactive and many cameras refuse it. Turn the automatic mode off first.
    first = [Step(pair.automatic, pair.manual)] if has_automatic else []
    if not has_value:
        return first
    return first + [Step(pair.value, None if value == NOW else number(word, value))]


def is_manual(pair: Pair, device: Device) -> bool:
    """Whether the camera is in manual mode and the value is active."""
    try:
        return device.get(pair.automatic) not in pair.auto and not device.query(pair.value).flags & INACTIVE
    except OSError:
        return False
