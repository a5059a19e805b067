"""Makes the part of the launch line before the inference element."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from sources import HEIGHT, WIDTH, WINDOW_HEIGHT, WINDOW_WIDTH, video_line
from targets import Row


@dataclass(frozen=True)
class Times:
    """Dwell times of thermalcaps before a step up to a better tier, in seconds."""

    up_dwell: float = 20.0
    max_up_dwell: float = 60.0


def fraction(rate: Fraction) -> str:
    return f"{rate.numerator}/{rate.denominator}"


APPSRC = "appsrc name=source is-live=true format=time max-buffers=2 leaky-type=downstream"


def video_source(source: str | None, rate: Fraction) -> str:
    """Launch line of a video source, such as v4l2src, or of an appsrc. Limits the frame rate to that of the model."""
    first = video_line(source) if source else APPSRC
    return f"{first} ! videorate drop-only=true ! video/x-raw,framerate=[1/1000,{fraction(rate)}]"


def sound_source(rate: Fraction) -> str:
    """Launch line of an appsrc that outputs windows of sound as pictures."""
    return (f"{APPSRC} caps=\"video/x-raw,format=GRAY16_LE,width={WINDOW_WIDTH},height={WINDOW_HEIGHT},"
            f"pixel-aspect-ratio=1/1,framerate={fraction(rate)}\"")


def ladder(row: Row, times: Times, root: str) -> str:
    """Launch line of thermalcaps with one level per tier. Empty without tiers. `root` is its sensor-root."""
    steps = row.ladder()
    if steps is None:
        return ""
    return (f" ! thermalcaps name=ladder custom-ladder=\"{steps}\" min-framerate=1 allow-resolution-change=false"
            f" up-dwell={round(times.up_dwell * 1e9)} max-up-dwell={round(times.max_up_dwell * 1e9)}"
            f" sensor-root=\"{root}\"")


def before_model(
        source: str, row: Row, is_sound: bool, times: Times, root: str = "/", has_screen: bool = False) -> str:
    """The launch line up to the inference element.

    The queue permits one frame in flight, besides the one that a screen shows, and keeps only the newest frame.
    thermalcaps follows the queue, so it receives the requests that perfmonitor sends upstream, and precedes
    videoconvert, so dropped frames are not converted.
    """
    format = "GRAY16_LE" if is_sound else f"RGB,width={WIDTH},height={HEIGHT}"
    return (f"{source} ! backpressurequeue name=newest max-in-flight={1 + has_screen} max-size-buffers=1"
            f" leaky=downstream{ladder(row, times, root)} ! videoconvert ! capsfilter name=end caps=\"video/x-raw,format={format}\"")


def after_model(screen: str | None) -> str:
    """The launch line behind the inference element. `screen` is a sink that shows the frames with what was found."""
    if screen is None:
        return "fakesink name=results enable-last-sample=false"
    return f"videoconvert name=results ! rsvgoverlay name=drawing ! videoconvert ! {screen}"
