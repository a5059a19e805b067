"""Sources of frames and of windows of sound."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Callable

import gi

gi.require_version("Gst", "1.0")
from gi.repository import GLib, Gst  # noqa: E402

sys.path.append(str(Path(__file__).resolve().parent.parent))

from launch import PLAYLISTS, quoted  # noqa: E402

WIDTH, HEIGHT = 640, 360
SIZE = f"width={WIDTH},height={HEIGHT},pixel-aspect-ratio=1/1"
# A window is 1 s of sound at 16 kHz. Each row of its picture is 10 ms.
SAMPLE_RATE, ROW = 16_000, 160
WINDOW_WIDTH, WINDOW_HEIGHT = ROW, SAMPLE_RATE // ROW
SOUND = f"audio/x-raw,format=S16LE,layout=interleaved,rate={SAMPLE_RATE},channels=1"


def video_line(source: str) -> str:
    """A launch line that converts `source`, such as v4l2src, to raw frames."""
    return f"{source} ! videoconvertscale add-borders=true ! video/x-raw,format=I420,{SIZE}"


def sound_line(source: str) -> str:
    """A launch line that converts `source`, such as autoaudiosrc, to samples."""
    return f"{source} ! audioconvert ! audioresample ! {SOUND}"


def decoder(file: str, kind: str) -> str:
    """A launch line that decodes the pictures (`video`) or the sound (`audio`) of a file. Excludes playlists.

    Pictures are turned as the orientation tag of the file says.
    """
    for factory in filter(None, map(Gst.ElementFactory.find, PLAYLISTS)):
        factory.set_rank(Gst.Rank.NONE)
    # videoconvert converts only formats that videoflip does not support, and videoflip passes frames without the tag.
    upright = " ! videoconvert ! videoflip video-direction=auto" if kind == "video" else ""
    return f"filesrc location={quoted(file)} ! decodebin expose-all-streams=false caps={kind}/x-raw(ANY){upright}"


def describe(error: GLib.Error, kind: str, file: Path | None) -> str:
    """Formats an error of a source. `kind` is picture or sound."""
    if file is None:
        return error.message
    if error.matches(Gst.CoreError.quark(), Gst.CoreError.MISSING_PLUGIN):
        return f"{file} has no {kind} that can be decoded."
    return f"The {kind} of {file} cannot be played: {error.message}"


class Feeder:
    """A separate pipeline that plays a file in real time into an appsrc, like a live source. It may loop.

    For sound, it pushes `windows` buffers per second. Each buffer has the samples of the last second.
    """

    def __init__(
            self, line: str, target: Gst.Element, fail: Callable[[GLib.Error], None], loops: bool,
            windows: float = 0) -> None:
        self._pipeline = Gst.parse_launch(
            f"{line} ! appsink name=frames emit-signals=true enable-last-sample=false sync=true")
        self._target, self._fail, self._loops = target, fail, loops
        self._hop = round(SAMPLE_RATE / windows) * 2 if windows else 0
        self._samples = bytearray(SAMPLE_RATE * 2)
        self._new = 0
        self._caps: Gst.Caps | None = None
        self._pipeline.get_by_name("frames").connect("new-sample", self._take)
        bus = self._pipeline.get_bus()
        bus.add_signal_watch()
        bus.connect("message", self._on_message)

    def start(self) -> None:
        self._pipeline.set_state(Gst.State.PLAYING)

    def stop(self) -> None:
        self._pipeline.set_state(Gst.State.NULL)
        self._pipeline.get_bus().remove_signal_watch()

    def _on_message(self, _bus: Gst.Bus, message: Gst.Message) -> None:
        if message.type == Gst.MessageType.ERROR:
            self._fail(message.parse_error()[0])
        elif message.type == Gst.MessageType.EOS and self._loops:
            if not self._pipeline.seek_simple(Gst.Format.TIME, Gst.SeekFlags.FLUSH | Gst.SeekFlags.KEY_UNIT, 0):
                self._fail(GLib.Error("It cannot be played from its start again.", Gst.CoreError.quark(), 0))
        elif message.type == Gst.MessageType.EOS:
            self._target.emit("end-of-stream")

    def _take(self, sink: Gst.Element) -> Gst.FlowReturn:
        sample = sink.emit("pull-sample")
        if sample is None:
            return Gst.FlowReturn.EOS
        if self._hop:
            return self._take_sound(sample.get_buffer())
        caps = sample.get_caps()
        if self._caps is None or not caps.is_equal(self._caps):
            self._caps = caps
            self._target.set_property("caps", caps)
        return self._push(sample.get_buffer().copy())

    def _take_sound(self, buffer: Gst.Buffer) -> Gst.FlowReturn:
        data = buffer.extract_dup(0, buffer.get_size())
        flow = Gst.FlowReturn.OK
        while data and flow == Gst.FlowReturn.OK:
            part, data = data[:self._hop - self._new], data[self._hop - self._new:]
            self._samples = self._samples[len(part):] + part
            self._new += len(part)
            if self._new == self._hop:
                self._new = 0
                flow = self._push(Gst.Buffer.new_wrapped(bytes(self._samples)))
        return flow

    def _push(self, frame: Gst.Buffer) -> Gst.FlowReturn:
        clock = self._target.get_clock()
        # Before PLAYING, there is no running time. Drop the frame.
        if clock is None:
            return Gst.FlowReturn.OK
        frame.pts = frame.dts = max(clock.get_time() - self._target.get_base_time(), 0)
        frame.duration = Gst.CLOCK_TIME_NONE
        return self._target.emit("push-buffer", frame)
