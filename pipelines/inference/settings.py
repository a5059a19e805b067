"""Parses the arguments of pipelines/inference/play."""

from __future__ import annotations

import sys
from dataclasses import dataclass, replace
from pathlib import Path

from models import KINDS, Kind
from pipeline import Times
# The import of `pipeline` adds the folder of these modules to sys.path.
from launch import is_plain
from output import Mistake, check

HERE = Path(__file__).resolve().parent
TOP = HERE.parent.parent
SOURCES = ("clip", "live", "test", "camera")


@dataclass(frozen=True)
class Settings:
    model: str = "text"
    source: str = "test"
    file: Path = TOP / "pipelines/media/bigbuckbunny.webm"
    targets: Path = TOP / "targets/models.json"
    seconds: float = 0
    log: Path | None = None
    window: str | None = None
    root: Path = Path("/")
    times: Times = Times()
    rest: float = 10
    camera: str | None = None
    screen: str | None = None
    dashboard: str | None = None
    kind: Kind | None = None

    @property
    def used_kind(self) -> Kind:
        return self.kind or KINDS[self.model]


def stand_in(text: str) -> Kind:
    """Parses `MILLISECONDS[,MEGABYTES[,COUNT,MILLISECONDS]]`. The last number is for pictures after the first COUNT."""
    numbers = tuple(float(number) for number in text.split(","))
    if len(numbers) not in (1, 2, 4) or not all(0 <= number < 1e6 for number in numbers):
        raise ValueError("it has one, two or four numbers")
    return Kind("stand_in", "StandIn", f"stand-in {text}", numbers)


def positive(text: str) -> float:
    number = float(text)
    if not 0 < number < 1e6:
        raise ValueError("it is not above 0 and below 1000000")
    return number


def parse(arguments: list[str]) -> Settings:
    """Parses names of models and sources, and key=value. Ends the program if an argument is not valid."""
    settings, force = Settings(), "--force" in arguments
    for argument in arguments:
        if argument == "--force":
            continue
        name, sign, value = argument.partition("=")
        if argument in KINDS:
            settings = replace(settings, model=argument)
        elif argument in SOURCES:
            settings = replace(settings, source=argument)
        elif not sign or name not in READERS:
            sys.exit(f"\"{argument}\" is neither a model ({', '.join(KINDS)}), nor a source ({', '.join(SOURCES)}), "
                     f"nor one of {', '.join(f'{key}=' for key in READERS)}.")
        else:
            try:
                settings = READERS[name](settings, value)
            except ValueError as error:
                sys.exit(f"{argument} cannot be read: {error}.")
    if not settings.file.is_file():
        sys.exit(f"There is no clip {settings.file}.")
    if not is_plain(str(settings.file)):
        sys.exit(f"The name {str(settings.file)!a} is not UTF-8, or ends in a backslash; rename the clip.")
    if settings.log is not None and settings.log.is_file():
        try:
            check(settings.log, (settings.file, settings.targets), force)
        except Mistake as mistake:
            sys.exit(str(mistake))
    if not settings.root.is_dir():
        sys.exit(f"There is no folder {settings.root} for sensor-root.")
    return settings


READERS = {
    "in": lambda settings, value: replace(
        settings, file=Path(value), source="clip" if settings.source == "test" else settings.source),
    "camera": lambda settings, value: replace(settings, source="camera", camera=value),
    "screen": lambda settings, value: replace(settings, screen=value),
    "dashboard": lambda settings, value: replace(settings, dashboard=value),
    "seconds": lambda settings, value: replace(settings, seconds=positive(value)),
    "log": lambda settings, value: replace(settings, log=Path(value)),
    "targets": lambda settings, value: replace(settings, targets=Path(value)),
    "window": lambda settings, value: replace(settings, window=value),
    "sensor-root": lambda settings, value: replace(settings, root=Path(value)),
    "up-dwell": lambda settings, value: replace(
        settings, times=Times(positive(value), max(settings.times.max_up_dwell, positive(value)))),
    "memory-rest": lambda settings, value: replace(settings, rest=positive(value)),
    "stand-in": lambda settings, value: replace(settings, kind=stand_in(value)),
}
