"""Plays a pipeline until it ends, fails or stalls."""

import threading
import time
from collections.abc import Iterator

from gi.repository import GLib, Gst

from launch import quoted

from . import report
from .failure import Failure
from .report import STALL_SECONDS

# Maximum time that a pipeline may take to stop.
_STOP_SECONDS = min(20.0, STALL_SECONDS)
_POLL = 100 * Gst.MSECOND
# Types whose files can name other files, hosts or elements. The demuxers of these types would open those files and
# hosts, and create those elements.
_PLAYLISTS = ("application/x-hls; application/dash+xml; application/vnd.ms-sstr+xml; application/sdp; application/xges; "
              "text/x-xptv; application/vnd.pixar.opentimelineio+json")


def exclude_playlists() -> None:
    """Excludes the demuxers of playlists from decodebin and parsebin in this process."""
    factories = Gst.ElementFactory.list_get_elements(Gst.ELEMENT_FACTORY_TYPE_DECODABLE, Gst.Rank.NONE)
    types = Gst.Caps.from_string(_PLAYLISTS)
    for factory in Gst.ElementFactory.list_filter(factories, types, Gst.PadDirection.SINK, False):
        factory.set_rank(Gst.Rank.NONE)


def parse(text: str) -> Gst.Pipeline:
    try:
        return Gst.parse_launch(text)
    except GLib.Error as error:
        raise Failure("refused", f"GStreamer cannot make this pipeline: {error.message}: {text}") from error


def video_reader(source: str) -> str:
    """Launch line that decodes the video of a source. The caller must also call `reader_of`."""
    return f"filesrc location={quoted(source)} ! decodebin name=reader caps=video/x-raw(ANY)"


def reader_of(pipeline: Gst.Pipeline, *encoded: str) -> Gst.Element:
    """The decodebin or parsebin of the pipeline. It does not decode streams of the types `encoded`, such as "audio/".

    With expose-all-streams=false instead, flvdemux would fail if the audio begins before the video.
    """
    reader = pipeline.get_by_name("reader")
    reader.connect("autoplug-continue", lambda _reader, _pad, caps:
                   not caps.get_structure(0).get_name().startswith(encoded))
    reader.connect("deep-element-added", keep_last_frame)
    return reader


def keep_last_frame(_reader: Gst.Element, _bin: Gst.Bin, element: Gst.Element) -> None:
    """Handles "deep-element-added": drops the EOS of an alpha stream, which alphacombine does not forward.

    Since GStreamer 1.26.1, alphacombine discards the last frame if this EOS arrives before that frame is combined.
    """
    def on_event(_pad: Gst.Pad, info: Gst.PadProbeInfo) -> Gst.PadProbeReturn:
        is_end = info.get_event().type == Gst.EventType.EOS
        return Gst.PadProbeReturn.DROP if is_end else Gst.PadProbeReturn.OK

    if element.__gtype__.name == "GstAlphaCombine":
        element.get_static_pad("alpha").add_probe(Gst.PadProbeType.EVENT_DOWNSTREAM, on_event)


def discard(pipeline: Gst.Pipeline, pad: Gst.Pad) -> None:
    """Links an unused pad to a fakesink, which does not delay the state change of the pipeline."""
    sink = Gst.ElementFactory.make("fakesink")
    sink.set_property("sync", False)
    sink.set_property("async", False)
    pipeline.add(sink)
    sink.sync_state_with_parent()
    pad.link(sink.get_static_pad("sink"))


class Player:
    """A pipeline and its bus. Streaming threads call `beat` for each frame, and `fail` after an error."""

    def __init__(self, pipeline: Gst.Pipeline, stall: float = STALL_SECONDS) -> None:
        self.pipeline = pipeline
        self._stall = stall
        self.ended = threading.Event()
        self._failure: Failure | None = None
        self._last_beat = time.monotonic()
        self._is_playing = False

    def beat(self) -> None:
        self._last_beat = time.monotonic()
        report.beat()

    def fail(self, failure: Failure) -> None:
        """Stores the first failure. Any thread may call this method."""
        if self._failure is None:
            self._failure = failure

    def fail_with(self, error: Exception) -> None:
        """Stores an exception of a probe as a failure. PyGObject would raise an uncaught exception in the next call."""
        if isinstance(error, Failure):
            self.fail(error)
        else:
            self.fail(Failure("media", f"{type(error).__name__}: {error}"))

    def check(self) -> None:
        """Raises a stored failure, an error of the pipeline as a failure, or a failure if the pipeline has stalled."""
        self._handle(self.pipeline.get_bus().pop_filtered(Gst.MessageType.ERROR))

    def _handle(self, message: Gst.Message | None) -> None:
        # A stored failure is often the cause of the error message, so raise the stored failure first.
        self._raise_failure()
        if message is not None and message.type == Gst.MessageType.ERROR:
            raise failure_of(message)
        if time.monotonic() - self._last_beat > self._stall:
            # In GStreamer 1.22, an error of a demuxer that fails while parsebin or decodebin adds it is not posted.
            raise Failure("media", f"The pipeline has not moved a frame for {self._stall:.0f} s.", is_of_stream=True)

    def _raise_failure(self) -> None:
        if self._failure is not None:
            raise self._failure

    def samples(self, sink: Gst.Element) -> Iterator[Gst.Sample]:
        """The samples of an appsink up to EOS."""
        while True:
            sample = sink.emit("try-pull-sample", _POLL)
            self.check()
            if sample is not None:
                self.beat()
                yield sample
            elif sink.get_property("eos"):
                return

    def run(self) -> None:
        """Waits for EOS. `timed_pop_filtered` discards all messages of other types, so it also waits for errors."""
        while True:
            message = self.pipeline.get_bus().timed_pop_filtered(_POLL, Gst.MessageType.EOS | Gst.MessageType.ERROR)
            self._handle(message)
            if message is not None:
                return

    def start(self) -> None:
        self._begin()
        self._set_state(Gst.State.PLAYING)

    def pause(self) -> None:
        """Sets the pipeline to PAUSED and waits until it is prerolled."""
        self._begin()
        self._set_state(Gst.State.PAUSED)
        change = Gst.StateChangeReturn.ASYNC
        while change == Gst.StateChangeReturn.ASYNC:
            change = self.pipeline.get_state(_POLL)[0]
            self.check()
        if change == Gst.StateChangeReturn.FAILURE:
            raise Failure("media", "The pipeline does not preroll.")

    def _begin(self) -> None:
        self.beat()
        if not self._is_playing:
            self._is_playing = True
            report.begin_playing()

    def _set_state(self, state: Gst.State) -> None:
        if self.pipeline.set_state(state) == Gst.StateChangeReturn.FAILURE:
            message = self.pipeline.get_bus().pop_filtered(Gst.MessageType.ERROR)
            raise failure_of(message) if message else Failure("media", "The pipeline does not start.")

    def stop(self) -> None:
        """Stops the pipeline. Returns after at most 20 s, even if a chain function still blocks the state change."""
        self.ended.set()
        stopping = threading.Thread(target=self.pipeline.set_state, args=[Gst.State.NULL], daemon=True)
        stopping.start()
        stopping.join(_STOP_SECONDS)
        if self._is_playing:
            self._is_playing = False
            report.end_playing()


def failure_of(message: Gst.Message) -> Failure:
    """Converts an error message of an element to a failure."""
    error, debug = message.parse_error()
    kind = "media"
    if error.matches(Gst.ResourceError.quark(), Gst.ResourceError.NO_SPACE_LEFT):
        kind = "space"
    elif error.matches(Gst.CoreError.quark(), Gst.CoreError.MISSING_PLUGIN):
        kind = "unfit"
    text = f"{message.src.get_name()}: {error.message}"
    last = (debug or "").strip().splitlines()[-1:]
    is_of_stream = GLib.quark_to_string(Gst.StreamError.quark()) == error.domain
    return Failure(kind, text + (f" ({last[0].strip()})" if last else ""), is_of_stream)
