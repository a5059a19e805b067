"""The launch line around the element with the model."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from sources import HEIGHT, WIDTH, WINDOW_HEIGHT, WINDOW_WIDTH, video_line
from targets import Row


@dataclass(frozen=True)
class Times:
    """How fast the tiers follow, in seconds."""

    up_dwell: float = 20.0
    max_up_dwell: float = 60.0


def fraction(rate: Fraction) -> str:
    return f"{rate.numerator}/{rate.denominator}"


APPSRC = "appsrc name=source is-live=true format=time max-buffers=2 leaky-type=downstream"


def video_source(source: str | None, rate: Fraction) -> str:
    """Frames of `source`, such as v4l2src, or of an appsrc, at the full rate of the model at most."""
    first = video_line(source) if source else APPSRC
    return f"{first} ! videorate drop-only=true ! video/x-raw,framerate=[1/1000,{fraction(rate)}]"


def sound_source(rate: Fraction) -> str:
    """Windows of sound as pictures, from an appsrc."""
    return (f"{APPSRC} caps=\"video/x-raw,format=GRAY16_LE,width={WINDOW_WIDTH},height={WINDOW_HEIGHT},"
            f"pixel-aspect-ratio=1/1,framerate={fraction(rate)}\"")


def ladder(row: Row, times: Times, root: str) -> str:
    """thermalcaps with a level for each tier of the target; nothing without tiers. `root` replaces its sensors."""
    steps = row.ladder()
    if steps is None:
        return ""
    return (f" ! thermalcaps name=ladder custom-ladder=\"{steps}\" min-framerate=1 allow-resolution-change=false"
            f" up-dwell={round(times.up_dwell * 1e9)} max-up-dwell={round(times.max_up_dwell * 1e9)}"
            f" sensor-root=\"{root}\"")


def before_model(source: str, row: Row, is_sound: bool, times: Times, root: str = "/") -> str:
    """The launch line up to the model.

    The queue has one frame in flight and keeps one: the newest. thermalcaps follows it, so a vote of perfmonitor, which
    travels upstream from the model, reaches it, and frames that it drops are never converted.
    """
    format = "GRAY16_LE" if is_sound else f"RGB,width={WIDTH},height={HEIGHT}"
    return (f"{source} ! backpressurequeue name=newest max-in-flight=1 max-size-buffers=1 leaky=downstream"
            f"{ladder(row, times, root)} ! videoconvert ! capsfilter name=end caps=\"video/x-raw,format={format}\"")
