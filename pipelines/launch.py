"""Reads .launch files, and makes launch lines for gst-launch-1.0."""

from __future__ import annotations

import os
import re
import shlex
from fractions import Fraction
from itertools import groupby
from pathlib import Path

from output import Mistake

# Variables whose values are launch fragments. The value of any other variable is a single word.
FRAGMENTS = ("screen", "speaker", "camera", "upright")
# Demuxers of playlists. A playlist can make them open other files and hosts, or create elements.
PLAYLISTS = "gesdemux hlsdemux hlsdemux2 dashdemux dashdemux2 mssdemux mssdemux2 sdpdemux".split()
# The largest frame rate for which tapeaudio computes drop-outs.
MOST_FRAMES = 240


class LaunchFile:
    """A .launch file: its directives, and its launch line with variables such as $in."""

    def __init__(self, path: Path) -> None:
        self.name = path.name
        try:
            text = path.read_text(encoding="utf-8")
            self._lines = text.splitlines()
            lines = [line for line in self._lines if not line.startswith("#")]
            # Lines with $number are repeated for each preset.
            self._parts = [split("\n".join(part), self.name) for _, part in groupby(lines, lambda line: "$number" in line)]
        except UnicodeDecodeError:
            raise Mistake(f"{path} is no .launch file; a clip is named with in=FILE.") from None
        except OSError as error:
            raise Mistake(f"{path} cannot be read: {error}.") from error
        self._template = [word for part in self._parts for word in part]
        self.variables = set(_variables(" ".join(self._template)))

    @property
    def title(self) -> str:
        return self._lines[0].removeprefix("#").strip() if self._lines else self.name

    @property
    def has_names(self) -> bool:
        return any(word.startswith("name=") for word in self._template)

    def uses(self, element: str) -> bool:
        return element in self._template

    def words_with(self, variable: str) -> list[str]:
        return [word for word in self._template if variable in _variables(word)]

    def directives(self, name: str) -> list[str]:
        """The texts after the colon in all lines "# NAME: text". For a line "# NAME", the text is empty."""
        found = (re.fullmatch(rf"# {name}(?::\s*(.*)|)", line) for line in self._lines)
        return [(match[1] or "").strip() for match in found if match]

    def words(self, values: dict[str, str], settings: dict[str, list[str]], presets: list[dict[str, str]]) -> list[str]:
        """The words of the launch line. Only settings and launch fragments may add more than one word.

        `presets` has the values of variables for each repetition of the lines with $number.
        """
        words: list[str] = []
        for part in self._parts:
            is_repeated = "number" in _variables(" ".join(part))
            for own in presets if is_repeated else [{}]:
                for word in part:
                    if word[1:] in settings and word[0] == "$":
                        words += settings[word[1:]]
                    elif word[1:] in FRAGMENTS and word[0] == "$":
                        words += split(values[word[1:]], f"{word[1:]}=")
                    else:
                        words.append(_filled(word.replace("$number", own.get("number", "")), values | own))
        return words


def _variables(text: str) -> list[str]:
    return re.findall(r"\$([a-z]+)", text)


def split(text: str, place: str) -> list[str]:
    """Splits a launch line into words, as a shell does."""
    try:
        text.encode()
        return shlex.split(text)
    except UnicodeEncodeError as error:
        raise Mistake(f"{place} is not UTF-8: {shown(text)}") from error
    except ValueError as error:
        raise Mistake(f"{place} has no valid quotation marks: {text}") from error


def _filled(word: str, values: dict[str, str]) -> str:
    """Replaces the variables of a word by their values. Quotes the result if the word has variables."""
    name, _, text = word.partition("=")
    filled = re.sub(r"\$([a-z]+)", lambda found: values.get(found[1], found[0]), text)
    if name == "@preset":
        # The parser takes quotation marks as part of the name.
        return f"{name}=" + filled.replace("\\", "\\\\")
    return f"{name}={quoted(filled)}" if filled != text else word


def quoted(value: str) -> str:
    """Quotes the value of a property for gst_parse_launch and for the arguments of gst-launch-1.0.

    Between quotation marks, only the backslash is special: the parser removes it and keeps the next character. A value
    that ends in a backslash raises Mistake, because the parser takes the closing quotation mark as part of the value.
    """
    if re.fullmatch(r"[A-Za-z0-9_./:+-]+", value):
        return value
    if not is_plain(value):
        raise Mistake(f'"{shown(value)}" cannot be in a launch line: it is not UTF-8, or ends in a backslash.')
    return '"' + value.replace("\\", "\\\\").replace('"', '\\"') + '"'


def setting(argument: str) -> str:
    """Converts the argument PROPERTY=VALUE to a word of a launch line."""
    name, sign, value = argument.partition("=")
    if not sign:
        raise Mistake(f'"{argument}" is not key=value.')
    if not re.fullmatch(r"[A-Za-z][A-Za-z0-9_:-]*", name):
        raise Mistake(f'"{name}" is not the name of a property.')
    return f"{name}={quoted(value)}"


def is_plain(value: str) -> bool:
    """Whether a launch line can contain the value."""
    try:
        value.encode()
    except UnicodeEncodeError:
        return False
    return not value.endswith("\\")


def linked(path: str, folder: str) -> str:
    """A path that a launch line can contain. Creates a link in `folder` if the launch line cannot contain `path`."""
    if is_plain(path):
        return path
    link = os.path.join(folder, f"link{len(os.listdir(folder))}")
    parent, name = os.path.split(path)
    if is_plain(name):
        os.symlink(parent, link)
        return os.path.join(link, name)
    os.symlink(path, link)
    return link


def shown(value: str) -> str:
    return value.encode(errors="surrogateescape").decode(errors="replace")


def picture_properties(width: int | str, height: int | str, framerate: str, offset: int) -> list[str]:
    """The properties of tapeaudio that describe the picture; `offset` is its PTS minus that of the sound with it, in ns."""
    rate = framerate if Fraction(framerate) <= MOST_FRAMES else "0/1"
    return [f"video-width={width}", f"video-height={height}", f"video-framerate={rate}", f"video-offset={offset}"]
