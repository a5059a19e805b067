"""Selects the decoded frames that a segment needs."""

import re
import threading
from array import array
from dataclasses import dataclass, field

from gi.repository import Gst

from .failure import Failure
from .player import Player


@dataclass
class Wanted:
    """The frames to feed to the filter, in order: lead-in, segment and tail."""

    pts: list[int]
    # Frame number of `pts[0]` in the film.
    first: int
    # Whether a frame that is not in `pts` is an error. If not, all frames from `pts[0]` to `after` are fed.
    is_exact: bool
    # PTS of the first frame after the frames to feed; None at the end of the film.
    after: int | None
    framerate: str
    # Difference between the PTS and the running time of each frame.
    origin: int
    # Correct PTS by frame number, which replace those of the decoder; None if those of the decoder are correct.
    times: array | None = None
    fed: list[int] = field(default_factory=list)

    def is_complete_before(self, pts: int) -> bool:
        """Whether a frame at `pts` comes after the frames to feed."""
        if self.is_exact:
            return len(self.fed) == len(self.pts)
        return self.after is not None and pts >= self.after


class Feed:
    """A probe on the source pad of the decoder. The probe drops frames until a flushing seek or a call of `open`."""

    def __init__(self, pad: Gst.Pad, wanted: Wanted, player: Player, has_frame: threading.Event) -> None:
        """Sets `has_frame` at the first frame or EOS of the decoder, after which the caller may send a seek."""
        self._pad, self._wanted, self._player, self._has_frame = pad, wanted, player, has_frame
        self._is_open = False
        self._is_pushing = False
        self._has_segment = False
        # Number of frames that the decoder has output since `open`.
        self._count = 0
        pad.add_probe(Gst.PadProbeType.BUFFER | Gst.PadProbeType.EVENT_DOWNSTREAM | Gst.PadProbeType.EVENT_FLUSH,
                      self._on_data)

    def open(self) -> None:
        self._is_open = True

    def _on_data(self, _pad: Gst.Pad, info: Gst.PadProbeInfo) -> Gst.PadProbeReturn:
        is_frame = bool(info.type & Gst.PadProbeType.BUFFER)
        if not is_frame and _is_orientation(info.get_event()):
            # The pictures are already upright. An element with video-direction=auto would rotate them again.
            return Gst.PadProbeReturn.DROP
        if self._is_pushing:
            return Gst.PadProbeReturn.OK
        try:
            if is_frame:
                return self._on_frame(info.get_buffer())
            return self._on_event(info.get_event())
        except Exception as error:
            self._player.fail_with(error)
            return Gst.PadProbeReturn.DROP

    def _on_event(self, event: Gst.Event) -> Gst.PadProbeReturn:
        if event.type == Gst.EventType.FLUSH_STOP:
            self._is_open = True
            self._has_segment = False
        elif event.type == Gst.EventType.SEGMENT:
            self._send_segment()
            return Gst.PadProbeReturn.DROP
        elif event.type == Gst.EventType.EOS:
            if not self._is_open:
                self._has_frame.set()
                return Gst.PadProbeReturn.DROP
            self._check_end()
        return Gst.PadProbeReturn.OK

    def _send_segment(self) -> None:
        """Pushes one segment event with the running times of the film, which replaces all segment events of the source.

        After a seek, the segment of the source begins at running time 0. matroskademux may also send a second segment.
        """
        if self._has_segment:
            return
        segment = Gst.Segment()
        segment.init(Gst.Format.TIME)
        segment.start = segment.position = max(0, self._wanted.origin)
        segment.base = segment.time = max(0, -self._wanted.origin)
        self._has_segment = True
        self._push_event(Gst.Event.new_segment(segment))

    def _push_event(self, event: Gst.Event) -> None:
        self._is_pushing = True
        self._pad.push_event(event)
        self._is_pushing = False

    def _on_frame(self, buffer: Gst.Buffer) -> Gst.PadProbeReturn:
        self._player.beat()
        if not self._is_open:
            self._has_frame.set()
            return Gst.PadProbeReturn.DROP
        wanted, pts = self._wanted, buffer.pts
        if wanted.times is not None:
            pts = wanted.times[self._count] if self._count < len(wanted.times) else buffer.pts
            self._count += 1
        if wanted.fed and pts == Gst.CLOCK_TIME_NONE:
            raise Failure("inexact" if wanted.is_exact else "media",
                          f"The decoder outputs a frame without a time after {wanted.fed[-1]} ns.")
        if not wanted.fed and (pts == Gst.CLOCK_TIME_NONE or pts < wanted.pts[0]):
            # Drop frames before the first wanted frame. The seek may have changed the PTS of the last dropped frame.
            return Gst.PadProbeReturn.DROP
        if wanted.is_complete_before(pts):
            return self._end()
        if wanted.is_exact and pts != wanted.pts[len(wanted.fed)]:
            raise Failure("inexact", f"The source has a frame at {pts} ns after the seek, not at "
                                     f"{wanted.pts[len(wanted.fed)]} ns.")
        if not wanted.fed:
            self._begin(buffer)
        wanted.fed.append(pts)
        return Gst.PadProbeReturn.OK if pts == buffer.pts else self._push_at(pts, buffer)

    def _push_at(self, pts: int, buffer: Gst.Buffer) -> Gst.PadProbeReturn:
        """Pushes the frame with another PTS. Ignores the flow return, because a failing element posts an error."""
        copy = copy_of(buffer)
        copy.pts = pts
        self._is_pushing = True
        self._pad.push(copy)
        self._is_pushing = False
        return Gst.PadProbeReturn.DROP

    def _begin(self, buffer: Gst.Buffer) -> None:
        """Checks the frame rate before the first frame, and sets the frame count of the filter."""
        caps = self._pad.get_current_caps()
        found, numerator, denominator = caps.get_structure(0).get_fraction("framerate")
        framerate = f"{numerator}/{denominator}" if found else "0/1"
        if framerate != self._wanted.framerate:
            raise Failure("inexact" if self._wanted.is_exact else "refused",
                          f"The frame rate is {framerate} here, and {self._wanted.framerate} at the beginning.")
        if numerator == 0 and self._wanted.first > 0:
            self._prime(buffer, caps)

    def _prime(self, buffer: Gst.Buffer, caps: Gst.Caps) -> None:
        """Sets the frame count of ntscfilter, which counts frames if the caps have no frame rate.

        Pushes an extra frame whose frame rate and PTS set the count. The gate drops this frame.
        """
        rated = with_framerate(caps, "1/1")
        primer = copy_of(buffer)
        primer.pts = (self._wanted.first - 1) * Gst.SECOND
        self._push_event(Gst.Event.new_caps(rated))
        self._is_pushing = True
        self._pad.push(primer)
        self._push_event(Gst.Event.new_caps(caps))

    def _end(self) -> Gst.PadProbeReturn:
        """Sends EOS. Blocks the decoder until the pipeline stops, so that it does not decode the rest of the film."""
        self._check_end()
        self._push_event(Gst.Event.new_eos())
        self._player.ended.wait()
        return Gst.PadProbeReturn.DROP

    def _check_end(self) -> None:
        wanted = self._wanted
        if wanted.is_exact and len(wanted.fed) < len(wanted.pts):
            raise Failure("inexact", f"The source ended after {len(wanted.fed)} of {len(wanted.pts)} frames.")
        if not wanted.fed:
            raise Failure("media", f"The source has no frame that can be decoded at {wanted.pts[0]} ns.")


def _is_orientation(event: Gst.Event) -> bool:
    return event.type == Gst.EventType.TAG and event.parse_tag().get_tag_size(Gst.TAG_IMAGE_ORIENTATION) > 0


def copy_of(buffer: Gst.Buffer) -> Gst.Buffer:
    """A new buffer with the same memory and writable times. In Python, `copy` of a buffer only returns a reference."""
    what = Gst.BufferCopyFlags
    copy = buffer.copy_region(what.FLAGS | what.META | what.MEMORY, 0, buffer.get_size())
    copy.duration = buffer.duration
    return copy


def with_framerate(caps: Gst.Caps, framerate: str) -> Gst.Caps:
    """The caps with another frame rate. Without additional packages, Python cannot set a fraction directly."""
    text = re.sub(r",\s*framerate=\(fraction\)\d+/\d+", "", caps.to_string())
    return Gst.Caps.from_string(f"{text}, framerate=(fraction){framerate}")


def is_primer(caps: Gst.Caps, framerate: str) -> bool:
    """Whether these caps are those of the extra frame that `_prime` pushes."""
    found, numerator, denominator = caps.get_structure(0).get_fraction("framerate")
    return framerate == "0/1" and found and (numerator, denominator) == (1, 1)
