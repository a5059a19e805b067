"""Applies looks to frames, on a thread of its own: the latest frame first, then the thumbnails."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from functools import cached_property
from typing import NamedTuple

import cairo
from gi.repository import Gdk, GLib, Gst

from output import Mistake

from . import texts
from .look import PICTURE, at_preview_size
from .player import Shot
from .settings import Setting, Value, set_values

# Rows of a thumbnail before it is scaled to its place, so that its look is that of the picture.
_THUMBNAIL_ROWS = 270
# Seconds between two rounds of thumbnails while a film plays.
_ROUND = 4.0
_PATIENCE = 10 * Gst.SECOND


class Picture:
    """A frame as the window draws it, in rows of 4 bytes for each pixel: blue, green, red, 255."""

    def __init__(self, sample: Gst.Sample) -> None:
        structure, buffer = sample.get_caps().get_structure(0), sample.get_buffer()
        self.width, self.height = structure.get_value("width"), structure.get_value("height")
        # A film or picture with alpha is shown without it, as batch renders it.
        data = bytearray(buffer.extract_dup(0, buffer.get_size()))
        data[3::4] = b"\xff" * (len(data) // 4)
        self.data = bytes(data)
        self.texture = Gdk.MemoryTexture.new(self.width, self.height, Gdk.MemoryFormat.B8G8R8A8_PREMULTIPLIED,
                                             GLib.Bytes.new(self.data), 4 * self.width)

    @cached_property
    def surface(self) -> cairo.ImageSurface:
        return cairo.ImageSurface.create_for_data(bytearray(self.data), cairo.FORMAT_RGB24, self.width, self.height)


class Wish(NamedTuple):
    """The looks that the window shows. `left` is None for nothing, and empty for the frame itself."""

    look: dict[str, Value]
    left: dict[str, Value] | None


class Rendered(NamedTuple):
    """Pictures of one frame."""

    wish: Wish
    left: Picture | None
    right: Picture
    shot: Shot


class Filter:
    """The element in a pipeline of its own, which returns a frame for each frame."""

    def __init__(self, settings: dict[str, Setting], rows: int | None = None) -> None:
        self._settings, self._values, self._rows = settings, {}, rows
        size = f"video/x-raw,height=[1,{rows}],pixel-aspect-ratio=1/1 ! " if rows else ""
        self._pipeline = Gst.parse_launch(
            f"appsrc name=in format=time ! videoscale ! {size}{PICTURE} name=filter ! appsink name=out sync=false")
        self._in, self._out, self._filter = map(self._pipeline.get_by_name, ("in", "out", "filter"))
        self._pipeline.set_state(Gst.State.PLAYING)

    def apply(self, shot: Shot, look: dict[str, Value]) -> Gst.Sample | None:
        structure = shot.sample.get_caps().get_structure(0)
        width, height = structure.get_value("width"), structure.get_value("height")
        scale = min(1, self._rows / height) if self._rows else 1
        values = at_preview_size(look, scale * width / shot.full[0], scale * height / shot.full[1])
        set_values(self._filter, {name: self._settings[name].fitting(value) for name, value in values.items()
                                  if self._values.get(name) != value})
        self._values = values
        self._in.emit("push-sample", shot.sample)
        return self._out.emit("try-pull-sample", _PATIENCE)

    def close(self) -> None:
        self._pipeline.set_state(Gst.State.NULL)


def png(settings: dict[str, Setting], shot: Shot, look: dict[str, Value]) -> bytes:
    """A frame with a look as the content of a file. Raises Mistake."""
    filter_ = Filter(settings)
    try:
        sample = filter_.apply(shot, look)
    finally:
        filter_.close()
    if sample is None:
        raise Mistake(texts.NOT_RENDERED)
    return Picture(sample).texture.save_to_png_bytes().get_data()


class Renderer(threading.Thread):
    """Renders the latest frame with the latest wish. Frames that arrive meanwhile are skipped."""

    def __init__(self, settings: dict[str, Setting], on_rendered: Callable[[Rendered], None],
                 on_thumbnail: Callable[[str, Gdk.Texture], None], on_time: Callable[[float, float], None]) -> None:
        """`on_time` is called on this thread, the other functions on the main thread."""
        super().__init__(name="renderer", daemon=True)
        self._on_rendered, self._on_thumbnail, self._on_time = on_rendered, on_thumbnail, on_time
        self._right, self._left, self._small = map(Filter, [settings] * 3, (None, None, _THUMBNAIL_ROWS))
        self._wake = threading.Condition()
        # The latest frame.
        self.shot: Shot | None = None
        self._wish: Wish | None = None
        self._is_due = self._is_ended = False
        self._looks: dict[str, dict[str, Value]] = {}
        # Thumbnails that are still due, and the time at which the round began.
        self._names: list[str] = []
        self._round = 0.0
        self._rendered: Rendered | None = None

    # Calls of other threads

    def show(self, shot: Shot) -> None:
        with self._wake:
            self.shot, self._is_due = shot, True
            if not shot.is_playing or time.monotonic() - self._round > _ROUND:
                self._names, self._round = list(self._looks), time.monotonic()
            self._wake.notify()

    def ask(self, wish: Wish) -> None:
        with self._wake:
            self._wish, self._is_due = wish, True
            self._wake.notify()

    def ask_thumbnails(self, looks: dict[str, dict[str, Value]]) -> None:
        with self._wake:
            self._looks, self._names = looks, list(looks)
            self._wake.notify()

    def close(self) -> None:
        with self._wake:
            self._is_ended = True
            self._wake.notify()
        self.join()

    # This thread

    def run(self) -> None:
        while True:
            with self._wake:
                self._wake.wait_for(lambda: self._is_ended or self.shot and (self._is_due or self._names))
                if self._is_ended:
                    break
                shot, wish, is_due, self._is_due = self.shot, self._wish, self._is_due, False
                name = "" if is_due else self._names.pop(0)
                look = self._looks.get(name)
            if is_due:
                self._render(shot, wish)
            elif (sample := self._small.apply(shot, look)) is not None:
                GLib.idle_add(self._on_thumbnail, name, Picture(sample).texture)
        for each in (self._right, self._left, self._small):
            each.close()

    def _render(self, shot: Shot, wish: Wish) -> None:
        began = time.monotonic()
        right = self._right.apply(shot, wish.look)
        left = self._left.apply(shot, wish.left) if wish.left else shot.sample if wish.left is not None else None
        if right is None:
            return
        rendered = Rendered(wish, Picture(left) if left is not None else None, Picture(right), shot)
        with self._wake:
            is_waiting, self._rendered = self._rendered is not None, rendered
        # If the main thread has not drawn the previous frame yet, it draws this one instead.
        if not is_waiting:
            GLib.idle_add(self._deliver, priority=GLib.PRIORITY_HIGH_IDLE)
        rate = shot.sample.get_caps().get_structure(0).get_fraction("framerate")
        if shot.is_playing and rate[0] and rate[1]:
            self._on_time(time.monotonic() - began, rate[2] / rate[1])

    def _deliver(self) -> bool:
        with self._wake:
            rendered, self._rendered = self._rendered, None
        self._on_rendered(rendered)
        return GLib.SOURCE_REMOVE
