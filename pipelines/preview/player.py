"""Plays a film, a still picture or a camera, and delivers its frames in the size of the preview."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

from gi.repository import Gio, GLib, Gst

from output import Mistake

from . import texts
from .look import SOUND, STILL, Facts, Source
from .settings import Value, set_values

_UPRIGHT = "videoconvert ! videoflip video-direction=auto ! videoscale name=scale add-borders=false ! videoconvert ! "
# With caps-change-mode=immediate, a frame of the previous size that passes the elements before would end the stream.
_VIDEO = _UPRIGHT + ("capsfilter name=size caps-change-mode=delayed "
                     "! appsink name=frames max-buffers=1 drop=true qos=true emit-signals=true")
_AUDIO = f"audioconvert ! audioresample ! {SOUND} name=sound ! audioconvert ! volume name=volume ! "
_CAPS = "video/x-raw,format=BGRA,pixel-aspect-ratio=1/1"
# Longest time that a source may take to show its first frame.
_PATIENCE = 120 * Gst.SECOND
_ALL_ROWS = 1 << 15
# Rows of a camera until its size is known.
_LIVE_ROWS = 720
# Seconds that a camera may take to send a frame in its own size before it is paused.
_WHOLE = 2.0


class Shot(NamedTuple):
    """A frame of the source, in the size of the preview."""

    sample: Gst.Sample
    # Position in the film, in nanoseconds.
    position: int
    # Columns and rows of the frame in the film.
    full: tuple[int, int]
    is_playing: bool


class PreviewSize:
    """The number of rows of the preview of a playing film, which becomes smaller until the machine keeps up."""

    # The least size, and that of the first preview; a window rarely has more.
    _LEAST, _FIRST = 120, 720
    # Share of the time between two frames. Above the first, a frame may come too late; below the second, a size with
    # more rows by 4/3 leaves room for a load that varies.
    _TOO_MUCH, _LITTLE = 0.8, 0.28
    # Frames after which a size is judged: soon if it is too large, and late if a larger one may be possible.
    _SOON, _LATE = 6, 90

    def __init__(self, rows: int) -> None:
        """`rows` is the height of the film."""
        self._most, self.rows = rows, min(rows, self._FIRST)
        self._frames, self._load = 0, 0.0

    def rendered(self, seconds: float, interval: float) -> bool:
        """A frame took `seconds`, and the next one comes `interval` later. Returns whether `rows` has changed."""
        self._frames += 1
        share, before = seconds / interval, self.rows
        self._load = share if self._frames == 1 else self._load + 0.2 * (share - self._load)
        if self._frames >= self._SOON and self._load > self._TOO_MUCH:
            self.rows = min(self.rows, max(self._LEAST, self.rows * 3 // 4))
        elif self._frames >= self._LATE and self._load < self._LITTLE:
            self.rows = min(self._most, self.rows * 4 // 3)
        if self.rows != before:
            self._frames = 0
        return self.rows != before


class Playback:
    """The pipeline of a source. Its frames arrive on a streaming thread."""

    def __init__(self, source: Source, speaker: str, on_shot: Callable[[Shot], None]) -> None:
        self.source, self._on_shot = source, on_shot
        self.is_live, self.is_playing, self.position = not source.path, False, 0
        self.is_still = self.has_failed = False
        # Set when a frame has the size of the source.
        self._is_whole = threading.Event()
        self.facts: Facts | None = None
        self.preview: PreviewSize | None = None
        # A camera has no sound, and its branch is not used.
        self._audio = Gst.parse_bin_from_description(_AUDIO + ("fakesink" if self.is_live else speaker), True)
        if self.is_live:
            self.pipeline = self._video = Gst.parse_launch(f"{source.camera} ! decodebin ! queue ! {_VIDEO}")
        else:
            uri = Path(source.path).as_uri()
            self.is_still = _is_still(uri)
            self._video = Gst.parse_bin_from_description((STILL if self.is_still else "") + _VIDEO, True)
            self.pipeline = Gst.ElementFactory.make("playbin")
            Gst.util_set_object_arg(self.pipeline, "flags", "video+audio+native-video+native-audio")
            self.pipeline.set_property("uri", uri)
            self.pipeline.set_property("video-sink", self._video)
            self.pipeline.set_property("audio-sink", self._audio)
        self.sound, self.volume = map(self._audio.get_by_name, ("sound", "volume"))
        self._scale, self._size, frames = map(self._video.get_by_name, ("scale", "size", "frames"))
        frames.connect("new-preroll", self._arrived, "pull-preroll")
        frames.connect("new-sample", self._arrived, "pull-sample")
        self.set_rows(_LIVE_ROWS if self.is_live else _ALL_ROWS)
        self.bus, self.watch = self.pipeline.get_bus(), 0

    def set_rows(self, rows: int) -> None:
        """Limits the frames to this number of rows. Any thread may call it."""
        # A range has two numbers.
        self._size.set_property("caps", Gst.Caps.from_string(
            f"{_CAPS},width=[1,{_ALL_ROWS}],height=[1,{max(2, rows)}]"))

    def begin(self) -> Facts:
        """Waits for the first frame. Raises Mistake."""
        kinds = Gst.MessageType.ERROR | Gst.MessageType.APPLICATION
        if self.pipeline.set_state(Gst.State.PAUSED) == Gst.StateChangeReturn.NO_PREROLL:
            self.pipeline.set_state(Gst.State.PLAYING)
            self.is_playing = True
        else:
            kinds |= Gst.MessageType.ASYNC_DONE
        message = self.bus.timed_pop_filtered(_PATIENCE, kinds)
        if message is not None and message.type == Gst.MessageType.ERROR:
            raise Mistake(f"{self.source.name}: {message.parse_error()[0].message}")
        structure = self._structure()
        if structure is None:
            raise Mistake(texts.NO_PICTURE.format(name=self.source.name))
        duration = self.pipeline.query_duration(Gst.Format.TIME)[1]
        rate = structure.get_fraction("framerate")
        rate = f"{rate[1]}/{rate[2]}" if rate[0] and rate[1] else "30/1"
        has_sound = not self.is_live and self.pipeline.get_property("n-audio") > 0
        offset = _origin(self._video) - _origin(self._audio) if has_sound else 0
        self.facts = Facts(*self._full_size(structure), rate, 0 if self.is_still else max(0, duration), self.is_still,
                           has_sound, offset)
        self.preview = PreviewSize(self.facts.height)
        for word in self.facts.picture_of_sound:
            Gst.util_set_object_arg(self.sound, *word.split("="))
        return self.facts

    def interrupt(self) -> None:
        """Ends the wait for the first frame."""
        self.bus.post(Gst.Message.new_application(self.pipeline, Gst.Structure.new_empty("interrupted")))

    def show(self, position: int) -> None:
        self.pipeline.seek_simple(Gst.Format.TIME, Gst.SeekFlags.FLUSH | Gst.SeekFlags.ACCURATE, position)
        self.pipeline.get_state(_PATIENCE)

    def pause(self) -> None:
        """A paused frame has the size of the source."""
        if self.is_live:
            self._is_whole.clear()
            self.set_rows(_ALL_ROWS)
            self._is_whole.wait(_WHOLE)
        self.pipeline.set_state(Gst.State.PAUSED)
        self.pipeline.get_state(_PATIENCE)
        if not self.is_live:
            self.set_rows(_ALL_ROWS)
            self.show(self.position)

    def _structure(self) -> Gst.Structure | None:
        caps = self._scale.get_static_pad("sink").get_current_caps()
        return caps.get_structure(0) if caps else None

    @staticmethod
    def _full_size(structure: Gst.Structure) -> tuple[int, int]:
        return structure.get_value("width"), structure.get_value("height")

    def _arrived(self, sink: Gst.Element, action: str) -> Gst.FlowReturn:
        sample, structure = sink.emit(action), self._structure()
        if sample is None or structure is None:
            return Gst.FlowReturn.EOS
        buffer = sample.get_buffer()
        position = sample.get_segment().to_stream_time(Gst.Format.TIME, buffer.pts)
        self.position = position if position != Gst.CLOCK_TIME_NONE else self.position
        # appsink changes the caps of its own sample, which fails if another one holds it.
        own = Gst.Sample.new(buffer, sample.get_caps(), sample.get_segment(), None)
        full = self._full_size(structure)
        self._on_shot(Shot(own, self.position, full, self.is_playing))
        if own.get_caps().get_structure(0).get_value("height") == full[1]:
            self._is_whole.set()
        if self.is_live and self.facts is None:
            self.interrupt()
        return Gst.FlowReturn.OK


def _origin(branch: Gst.Bin) -> int:
    """The PTS at the running time 0 of a stream."""
    event = branch.get_static_pad("sink").get_sticky_event(Gst.EventType.SEGMENT, 0)
    return event.parse_segment().start - event.parse_segment().base if event is not None else 0


def _is_still(uri: str) -> bool:
    """Whether a file is a picture. Raises GLib.Error if it cannot be read."""
    return Gio.File.new_for_uri(uri).query_info("standard::content-type", 0, None).get_content_type().startswith("image/")


def _reason(error: Mistake | GLib.Error) -> str:
    return getattr(error, "message", str(error))


def first_frame(source: Source) -> Gst.Sample:
    """The first frame of a film, or a picture. Raises Mistake or GLib.Error."""
    shots: list[Shot] = []
    playback = Playback(source, "fakesink", shots.append)
    try:
        playback.begin()
        return shots[0].sample
    finally:
        playback.pipeline.set_state(Gst.State.NULL)


class Player:
    """Controls a playback on a thread of its own, since GStreamer may block in changes of state and in seeks."""

    def __init__(self, speaker: str, on_shot: Callable[[Shot], None], on_open: Callable[[Source, Facts], None],
                 on_fault: Callable[[str], None], on_end: Callable[[], None]) -> None:
        """`on_shot` is called on a streaming thread, the other functions on the main thread."""
        self._speaker, self._on_shot, self.on_fault = speaker, on_shot, on_fault
        self._on_open, self._on_end = on_open, on_end
        self.is_looping = self._is_muted = False
        self.sound: dict[str, Value] = {}
        self.playback: Playback | None = None
        self._thread = ThreadPoolExecutor(1, "player")
        self.source: Source | None = None
        self._target: int | None = None

    # Calls of the main thread

    def open(self, source: Source | None) -> None:
        """Opens a source in place of the present one; None only ends that."""
        self.source = source
        if (playback := self.playback) is not None and playback.facts is None:
            playback.interrupt()
        self.do(self._open, source)

    def play(self, is_playing: bool) -> None:
        self.do(self._play, is_playing)

    def seek(self, position: int) -> None:
        """Shows the frame at a position in nanoseconds. Of several calls that wait, only the last one has an effect."""
        self._target = max(0, position)
        self.do(self._seek)

    def step(self, by: int) -> None:
        """Shows the frame that is `by` frames after the present one, and pauses."""
        self.do(self._step, by)

    def set_sound(self, sound: dict[str, Value]) -> None:
        changed = {name: value for name, value in sound.items() if self.sound.get(name) != value}
        self.sound = sound
        if (playback := self.playback) is not None:
            set_values(playback.sound, changed)

    def mute(self, is_muted: bool) -> None:
        self._is_muted = is_muted
        if (playback := self.playback) is not None:
            playback.volume.set_property("mute", is_muted)

    def close(self) -> None:
        self.open(None)
        self._thread.shutdown(wait=True)

    def _message(self, _: Gst.Bus, message: Gst.Message, playback: Playback) -> None:
        if message.type == Gst.MessageType.ERROR:
            # The source of a branch that fails posts another error.
            if not playback.has_failed and playback.source is self.source:
                playback.has_failed = True
                self.do(self._end_failed, playback)
                name, reason = playback.source.name, message.parse_error()[0].message
                self._fault(texts.STOPPED.format(name=texts.CAMERA if playback.is_live else name, reason=reason))
        elif message.type == Gst.MessageType.EOS:
            self.seek(0) if self.is_looping else self._on_end()

    def _fault(self, text: str) -> None:
        self.on_fault(text)
        self._on_end()

    def _refused(self, source: Source, text: str) -> None:
        if source is self.source:
            self.source = None
            self._fault(text)

    # Calls of other threads

    def do(self, function: Callable, *arguments: Any) -> None:
        """Calls a function on the thread of the player, after the calls before it."""
        with suppress(RuntimeError):
            self._thread.submit(self._guarded, function, *arguments)

    def rendered(self, seconds: float, interval: float) -> None:
        """A frame of the playing film took `seconds` to render. Changes the size of the preview if necessary."""
        if (playback := self.playback) is not None and playback.is_playing and playback.preview is not None \
                and playback.preview.rendered(seconds, interval):
            playback.set_rows(playback.preview.rows)

    # The thread of the player

    def _guarded(self, function: Callable, *arguments: Any) -> None:
        try:
            function(*arguments)
        except (Mistake, GLib.Error) as error:
            GLib.idle_add(self._fault, _reason(error), priority=GLib.PRIORITY_DEFAULT)
        except Exception:
            # An executor would drop it.
            sys.excepthook(*sys.exc_info())

    def _open(self, source: Source | None) -> None:
        self._end()
        if source is None or source is not self.source:
            return
        self._target = None
        try:
            self.playback = playback = Playback(source, self._speaker, self._on_shot)
            set_values(playback.sound, self.sound)
            playback.volume.set_property("mute", self._is_muted)
            facts = playback.begin()
        except (Mistake, GLib.Error) as error:
            self._end()
            GLib.idle_add(self._refused, source, _reason(error), priority=GLib.PRIORITY_DEFAULT)
            return
        # Its messages are handled on the main thread.
        playback.bus.add_signal_watch()
        playback.watch = playback.bus.connect("message", self._message, playback)
        # While a camera plays, the frames to be drawn may leave no time for a lower priority.
        GLib.idle_add(self._on_open, source, facts, priority=GLib.PRIORITY_DEFAULT)

    def _end(self) -> None:
        if (playback := self.playback) is not None:
            self.playback = None
            playback.pipeline.set_state(Gst.State.NULL)
            if playback.watch:
                playback.bus.disconnect(playback.watch)
                playback.bus.remove_signal_watch()

    def _end_failed(self, playback: Playback) -> None:
        if playback is self.playback:
            self._end()

    def _play(self, is_playing: bool) -> None:
        playback = self.playback
        if playback is None:
            return
        playback.is_playing = is_playing
        if is_playing:
            facts = playback.facts
            if facts.duration and playback.position + 2 * facts.frame_duration >= facts.duration:
                playback.show(0)
            playback.set_rows(playback.preview.rows)
            playback.pipeline.set_state(Gst.State.PLAYING)
            playback.pipeline.get_state(_PATIENCE)
        else:
            playback.pause()

    def _seek(self) -> None:
        target, self._target = self._target, None
        if target is not None and self.playback is not None and not self.playback.is_live:
            self.playback.show(target)

    def _step(self, by: int) -> None:
        playback = self.playback
        if playback is None or playback.is_live:
            return
        if playback.is_playing:
            self._play(False)
        # Decoders cut the frame at the position of the seek, and its number remains that of its begin.
        duration = playback.facts.frame_duration
        number = (playback.position + 1000) // duration + by
        playback.show(max(0, number) * duration + duration // 4)
