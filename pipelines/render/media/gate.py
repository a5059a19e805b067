"""Selects the pictures to encode, and computes checksums of the first pictures and of the tail."""

from gi.repository import Gst

from .failure import Failure
from .feed import is_primer
from .meter import Meter
from .pictures import PictureHash
from .player import Player


class Gate:
    """A probe between filter and encoder. The probe drops the lead-in and the tail, which must not be encoded."""

    def __init__(self, pad: Gst.Pad, start: int, end: int | None, tail: int, framerate: str, player: Player) -> None:
        """Passes frames with a PTS from `start` to `end` (exclusive), or to the end of the film if `end` is None."""
        self._start, self._end, self._tail_length = start, end, tail
        self._framerate, self._player = framerate, player
        self._is_primer = False
        self._hash: PictureHash | None = None
        self.head: list[int] = []
        self.tail: list[int] = []
        # Measures from the first encoded frame on; None before this frame.
        self.meter: Meter | None = None
        pad.add_probe(Gst.PadProbeType.BUFFER | Gst.PadProbeType.EVENT_DOWNSTREAM, self._on_data)

    def _on_data(self, _pad: Gst.Pad, info: Gst.PadProbeInfo) -> Gst.PadProbeReturn:
        try:
            if info.type & Gst.PadProbeType.BUFFER:
                return self._on_frame(info.get_buffer())
            return self._on_event(info.get_event())
        except Exception as error:
            self._player.fail_with(error)
            return Gst.PadProbeReturn.DROP

    def _on_event(self, event: Gst.Event) -> Gst.PadProbeReturn:
        if event.type == Gst.EventType.CAPS:
            caps = event.parse_caps()
            self._is_primer = is_primer(caps, self._framerate)
            if self._is_primer:
                return Gst.PadProbeReturn.DROP
            self._hash = PictureHash(caps)
        return Gst.PadProbeReturn.OK

    def _on_frame(self, buffer: Gst.Buffer) -> Gst.PadProbeReturn:
        self._player.beat()
        pts = buffer.pts
        if pts == Gst.CLOCK_TIME_NONE:
            raise Failure("refused", "The filter outputs frames without a PTS.")
        if self._is_primer or pts < self._start:
            return Gst.PadProbeReturn.DROP
        if self._end is not None and pts >= self._end:
            if len(self.tail) < self._tail_length:
                self.tail.append(self._hash.of(buffer))
            return Gst.PadProbeReturn.DROP
        if len(self.head) < self._tail_length:
            self.head.append(self._hash.of(buffer))
        if self.meter is None:
            self.meter = Meter()
        return Gst.PadProbeReturn.OK
