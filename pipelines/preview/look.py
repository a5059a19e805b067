"""A look: the values of all settings of picture and sound; its undo, its presets, and launch lines of it."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import Generic, NamedTuple, TypeVar

from gi.repository import GLib, Gst

from launch import picture_properties, quoted, setting, shown
from output import Mistake
from render.fragments import SHARED

from .settings import Value, set_values, settings_of, text_of, values_of

T = TypeVar("T")
PICTURE, SOUND = "ntscfilter", "tapeaudio"
# Turns a still picture into a film, whose noise moves.
STILL = "imagefreeze ! video/x-raw,framerate=30/1 ! "
# Changes of one setting that follow each other faster than this, in seconds, are one step of undo.
_ONE_STEP = 1.0


class Look(NamedTuple):
    """The values of all settings, by their names. A look is never changed."""

    picture: dict[str, Value]
    sound: dict[str, Value]

    def with_picture(self, name: str, value: Value) -> Look:
        """Changes a setting of the picture, and that of the sound that must be the same."""
        sound = {}
        if name in SHARED:
            sound[name] = value
        elif name == "vhs-tape-speed" and value in ("sp", "lp", "ep"):
            sound["tape-speed"] = value
        return Look(self.picture | {name: value}, self.sound | sound)

    def with_sound(self, name: str, value: Value) -> Look:
        return Look(self.picture, self.sound | {name: value})

    def words(self, defaults: Look) -> tuple[list[str], list[str]]:
        """The words of both elements in a launch line, without settings that have their default."""
        picture, sound = ([setting(f"{name}={text_of(value)}") for name, value in values.items()
                           if value != default[name]] for values, default in zip(self, defaults))
        return [PICTURE, *picture], [SOUND, *sound]


def at_preview_size(picture: dict[str, Value], horizontal: float, vertical: float) -> dict[str, Value]:
    """The settings with which a scaled frame has the look of the whole one.

    `horizontal` and `vertical` are the columns and rows of the scaled frame divided by those of the film. docs/NTSC.md
    has the factors. The element multiplies `chroma-delay-horizontal` by the square of the horizontal factor.
    """
    if (horizontal, vertical) == (1, 1):
        return picture
    follows = bool(picture["scale-settings"]) and bool(picture["scale-with-video-size"])
    own = (float(picture["bandwidth-scale"]), float(picture["vertical-scale"])) if picture["scale-settings"] else (1, 1)
    # With scale-with-video-size, the element multiplies both factors by the height itself.
    return picture | {
        "scale-settings": True, "scale-with-video-size": follows,
        "bandwidth-scale": own[0] * horizontal / (vertical if follows else 1),
        "vertical-scale": own[1] * (1 if follows else vertical),
        "chroma-delay-horizontal": float(picture["chroma-delay-horizontal"]) / horizontal}


class History(Generic[T]):
    """The states before and after the present one. States are never changed. The caller passes the time in seconds."""

    def __init__(self, state: T) -> None:
        self._states, self._place, self._last = [state], 0, ("", 0.0)

    @property
    def state(self) -> T:
        return self._states[self._place]

    @property
    def can_undo(self) -> bool:
        return self._place > 0

    @property
    def can_redo(self) -> bool:
        return self._place + 1 < len(self._states)

    def change(self, state: T, what: str, now: float) -> None:
        """Makes `state` the present one. `what` names the changed setting; a slider that is dragged makes one step."""
        if state == self.state:
            return
        last, then = self._last
        is_one_step = what == last and now - then < _ONE_STEP
        self._states[self._place + (not is_one_step):] = [state]
        self._place, self._last = len(self._states) - 1, (what, now)

    def move(self, by: int) -> None:
        """Undoes a step for -1, and makes it again for 1."""
        self._place, self._last = min(max(0, self._place + by), len(self._states) - 1), ("", 0.0)


class Source(NamedTuple):
    """A film or a still picture with an absolute path, or a camera with a launch fragment. One of both is empty."""

    path: str = ""
    camera: str = ""

    @property
    def name(self) -> str:
        return shown(Path(self.path).name) if self.path else self.camera


class Facts(NamedTuple):
    """Properties of an opened source. Times are in nanoseconds."""

    # Size of the frames in pixels of the film.
    width: int
    height: int
    framerate: str = "30/1"
    duration: int = 0
    is_still: bool = False
    has_sound: bool = False
    # PTS of the picture minus that of the sound that is played with it.
    video_offset: int = 0

    @property
    def frame_duration(self) -> int:
        numerator, denominator = map(int, self.framerate.split("/"))
        return 10**9 * denominator // numerator

    @property
    def picture_of_sound(self) -> list[str]:
        """The settings of tapeaudio that describe the picture."""
        return picture_properties(self.width, self.height, self.framerate, self.video_offset)


def launch_line(source: Source, facts: Facts, look: Look, defaults: Look) -> str:
    """A command for a shell that plays the source with the look. Raises Mistake if it cannot contain the path."""
    picture, sound = look.words(defaults)
    words = ["filesrc", f"location={quoted(source.path)}"] if source.path else shlex.split(source.camera)
    words += f"! decodebin name=film film. ! queue ! {STILL if facts.is_still else ''}videoconvert ! ".split()
    words += ["videoflip", "video-direction=auto", "!", *picture, "!", "videoconvert", "!", "autovideosink"]
    if facts.has_sound:
        words += "film. ! queue ! audioconvert ! audioresample !".split()
        words += [*sound, *facts.picture_of_sound, "!", "audioconvert", "!", "autoaudiosink"]
    return shlex.join(["gst-launch-1.0", *words])


class Shelf:
    """The looks that the presets of both elements store, and the JSON of ntsc-rs and ntscQT.

    All methods run on the main thread, because GStreamer does not lock the file of the presets.
    """

    def __init__(self) -> None:
        self._elements = self._picture, self._sound = [Gst.ElementFactory.make(name) for name in (PICTURE, SOUND)]
        self.picture, self.sound = map(settings_of, self._elements)
        self.defaults = Look(*({name: each.default for name, each in settings.items()}
                               for settings in (self.picture, self.sound)))
        # Effects grow with the picture, as in pipelines/play and pipelines/batch.
        self.first = self.defaults.with_picture("scale-with-video-size", True)
        # Warnings about a JSON preset are messages, which an element posts only in PAUSED or PLAYING.
        self._bus = Gst.Bus()
        self._picture.set_bus(self._bus)
        self._picture.set_state(Gst.State.PAUSED)

    def close(self) -> None:
        self._picture.set_state(Gst.State.NULL)

    def names(self) -> list[str]:
        return self._picture.get_preset_names()

    def comment(self, name: str) -> str:
        has_comment, text = self._picture.get_meta(name, "comment")
        return text if has_comment else ""

    def look(self, name: str) -> Look:
        """The look of a preset. A setting that the preset does not have has its default."""
        self._set(self.defaults)
        for element in self._elements:
            element.load_preset(name)
        return Look(values_of(self._picture, self.picture), values_of(self._sound, self.sound))

    def save(self, name: str, look: Look) -> None:
        """Saves a look as a preset of both elements, in the folder of the user. Raises Mistake."""
        name = name.strip()
        if not name or name.startswith("_") or not name.isprintable() or set("[]") & set(name):
            raise Mistake(f'"{name}" cannot name a preset: it is empty, begins with _ or contains [ or ].')
        self._set(look)
        if not all(element.save_preset(name) for element in self._elements):
            raise Mistake(f'The preset "{name}" cannot be written to {GLib.get_user_data_dir()}/gstreamer-1.0/presets.')

    def json(self, look: Look) -> str:
        """The picture as a preset of ntsc-rs."""
        self._set(look)
        return self._picture.get_property("preset-json")

    def read_json(self, path: str, look: Look) -> tuple[Look, str]:
        """The look with the picture of a file of ntsc-rs or ntscQT, and a warning or "". Raises Mistake."""
        before = self.json(look)
        self._picture.set_property("preset-file", path)
        message = self._bus.pop_filtered(Gst.MessageType.WARNING)
        warning = message.parse_warning()[0].message if message else ""
        if warning and "has unknown keys" not in warning:
            # Until it is set to a valid value, the element would not start again.
            self._picture.set_property("preset-json", before)
            raise Mistake(warning)
        for name, value in values_of(self._picture, self.picture).items():
            if value != look.picture[name]:
                look = look.with_picture(name, value)
        return look, warning

    def _set(self, look: Look) -> None:
        for element, values in zip(self._elements, look):
            set_values(element, values)
