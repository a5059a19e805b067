"""The settings of sendspin-play: properties of sendspinplay, from a file and from the command line."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from gi.repository import GObject, Gst

from launch import shown
from output import Mistake

NAME = "sendspin-play.conf"
LOG_LEVEL = "log-level"
# The levels, with their priorities in the journal, as in syslog(3).
LEVELS = {"error": 3, "warning": 4, "info": 6, "debug": 7}
UNITS = {"us": 1_000, "ms": 1_000_000, "s": 1_000_000_000}
SWITCH = {"true": True, "yes": True, "on": True, "false": False, "no": False, "off": False}
FOREVER = (1 << 64) - 1
# In bytes. A larger file, such as a device, is not a file of settings.
LARGEST_FILE = 65_536


@dataclass(frozen=True)
class Setting:
    """A key and its value, which may still be wrong. `place` is the file and the line, or empty for an argument."""

    key: str
    text: str
    place: str = ""

    def says(self, problem: str) -> str:
        """A message that names the place and the key."""
        return f"{self.place}{': ' if self.place else ''}{self.key}: {problem}"

    def refused(self, allowed: str) -> Mistake:
        return Mistake(self.says(f'"{shown(self.text)}" is not permitted; the value is {allowed}.'))


def default_file() -> Path | None:
    """The file of the user, or that of the system; None if there is neither."""
    home = os.environ.get("XDG_CONFIG_HOME", "")
    folder = home if os.path.isabs(home) else os.path.expanduser("~/.config")
    return next((Path(each, NAME) for each in (folder, "/etc") if os.path.exists(os.path.join(each, NAME))), None)


def read(file: Path) -> list[Setting]:
    """The settings of a file. Each line is KEY = VALUE, empty, or a comment, which begins with #."""
    settings: dict[str, Setting] = {}
    for number, line in enumerate(map(str.strip, text_of(file).split("\n")), 1):
        if not line or line.startswith("#"):
            continue
        key, sign, text = (part.strip() for part in line.partition("="))
        setting = Setting(key, text, f"{file}:{number}")
        if not sign:
            raise Mistake(f'{setting.place}: "{line}" is neither KEY = VALUE nor a comment, which begins with #.')
        if not text:
            raise Mistake(setting.says("there is no value; write # before the line for the default."))
        if key in settings:
            raise Mistake(setting.says(f"the key is already set in {settings[key].place}; remove one of the lines."))
        settings[key] = setting
    return list(settings.values())


def text_of(file: Path) -> str:
    """The text of a file, without the byte order mark that some editors write."""
    try:
        with file.open("rb") as opened:
            data = opened.read(LARGEST_FILE + 1)
    except OSError as error:
        raise Mistake(f"{file} cannot be read: {error.strerror}.") from error
    if len(data) > LARGEST_FILE:
        raise Mistake(f"{file} is larger than {LARGEST_FILE} bytes, so it is not a file of settings.")
    try:
        # GObject ends a string at a zero.
        if b"\0" in data:
            raise UnicodeError
        return data.decode("utf-8-sig")
    except UnicodeError:
        raise Mistake(f"{file} is not a text in UTF-8.") from None


def arguments(words: Iterable[str]) -> list[Setting]:
    """The settings KEY=VALUE of the command line."""
    settings = []
    for word in words:
        key, sign, text = word.partition("=")
        if not sign:
            raise Mistake(f'"{shown(word)}" is not KEY=VALUE.')
        settings.append(Setting(key, text))
    return settings


class Configuration:
    """The settings of a player. A later setting replaces an earlier one with the same key."""

    def __init__(self, player: Gst.Bin, settings: Iterable[Setting]) -> None:
        """Sets the properties of the player. Raises Mistake at the first setting that is not permitted."""
        common = {each.name for each in GObject.list_properties(Gst.Bin)}
        properties = {each.name: each for each in GObject.list_properties(player)
                      if each.flags & GObject.ParamFlags.WRITABLE and each.name not in common}
        self.level = LEVELS["info"]
        self._settings: dict[str, Setting] = {}
        for setting in settings:
            if setting.key == LOG_LEVEL:
                self.level = LEVELS[one_of(setting, LEVELS)]
            elif setting.key in properties:
                player.set_property(setting.key, value(setting, properties[setting.key], player))
            else:
                keys = ", ".join(sorted([*properties, LOG_LEVEL]))
                raise Mistake(setting.says(f"there is no such setting; the settings are {keys}."))
            self._settings[setting.key] = setting

    def source(self, problem: str) -> Setting | None:
        """The setting whose value an error message of the player quotes."""
        return next((each for each in self._settings.values() if f'"{each.text}"' in problem), None)


def one_of(setting: Setting, names: Iterable[str]) -> str:
    if setting.text not in names:
        raise setting.refused("one of " + ", ".join(names))
    return setting.text


def value(setting: Setting, property: GObject.ParamSpec, player: Gst.Bin) -> Any:
    """The value of a setting in the type of its property. Properties of type uint64 are times in nanoseconds."""
    kind = property.value_type
    if kind.is_a(GObject.TYPE_ENUM):
        # With PyGObject 3.50, only the class of a value knows the others.
        others = type(player.get_property(property.name)).__enum_values__
        values = {each.value_nick: each for each in others.values()}
        return values[one_of(setting, values)]
    if kind == GObject.TYPE_BOOLEAN:
        return SWITCH[one_of(setting, SWITCH)]
    if kind == GObject.TYPE_STRING:
        if setting.text != shown(setting.text):
            raise setting.refused("a text in UTF-8")
        return setting.text
    is_time = kind == GObject.TYPE_UINT64
    number = nanoseconds(setting) if is_time else amount(setting.text, kind == GObject.TYPE_DOUBLE)
    if number is None or not property.minimum <= number <= property.maximum:
        raise setting.refused(
            allowed_times(property) if is_time else f"{property.minimum:.10g} to {property.maximum:.10g}")
    return number


def amount(text: str, has_fraction: bool) -> float | int | None:
    if re.fullmatch(r"[0-9]{1,20}", text):
        return int(text)
    return float(text) if has_fraction and re.fullmatch(r"[0-9]{0,20}\.[0-9]{1,20}", text) else None


def nanoseconds(setting: Setting) -> int | None:
    """A time with its unit. Without a unit, an argument is in nanoseconds, as the property, and a file is wrong."""
    if setting.text == "never":
        return FOREVER
    found = re.fullmatch(r"([0-9]{1,20}(?:\.[0-9]{1,20})?) *(us|ms|s)", setting.text)
    if found:
        return round(float(found[1]) * UNITS[found[2]])
    return int(setting.text) if not setting.place and re.fullmatch(r"[0-9]{1,20}", setting.text) else None


def allowed_times(property: GObject.ParamSpec) -> str:
    if property.maximum == FOREVER:
        return "a time such as 10 s, or never"
    return f"a time from 0 to {property.maximum // UNITS['s']} s, such as 120 ms"
