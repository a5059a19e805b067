"""Tests with noise that an output frame of a filter depends only on its input frame and the frames of the lead-in."""

import random
import re
from pathlib import Path
from typing import Any

from gi.repository import Gst, GstVideo

from ..times import SECOND
from .decode import decoded_checksum, feed_in_background
from .failure import Failure
from .feed import with_framerate
from .inspect import check_versions
from .look import first_pictures
from .pictures import PictureHash, direction
from .player import Player, parse

_COMPARED = 6
_INTERLACED = Gst.BufferFlags(1 << 20)
_TOP_FIELD_FIRST = Gst.BufferFlags(1 << 21)


def prove(job: dict[str, Any], caps: str, sample: dict[str, str] | None = None) -> dict[str, Any]:
    """Checksums of test pictures of the filter, of the first decoded frames, and of the decoded sample.

    The checksums and the versions of the elements must be equal on all machines. `sample` has the path, the checksum
    and the caps of a file with rendered frames. Without `sample`, the checksum of the decoded sample is empty.
    """
    check_versions(job["versions"])
    return {"filter": _prove_frame_by_frame(job["filter"], _upright(caps, job["tags"]), job["lead_in"]),
            "decoder": first_pictures(job["source"], job["stream"], job["reading"]),
            "encoded": decoded_checksum(Path(sample["path"]), sample["digest"], sample["caps"]).whole if sample else ""}


def _upright(caps: str, tags: str) -> str:
    """The caps after videoflip. Swaps width and height if the tags require a rotation by 90 or 270 degrees."""
    method = GstVideo.VideoOrientationMethod
    if direction(tags) not in (getattr(method, name) for name in ("90R", "90L", "UL_LR", "UR_LL")):
        return caps
    other = {"width": "height", "height": "width"}
    caps = re.sub(r"\b(width|height)=", lambda found: f"{other[found[1]]}=", caps)
    return re.sub(r"(pixel-aspect-ratio=\(fraction\))(\d+)/(\d+)", r"\1\3/\2", caps)


def _prove_frame_by_frame(filter: str, caps: str, lead_in: int) -> list[int]:
    """Renders frames with and without the frames before them. Fails if the pictures differ. Returns their checksums."""
    frame_caps = Gst.Caps.from_string(caps)
    structure = frame_caps.get_structure(0)
    found, numerator, denominator = structure.get_fraction("framerate")
    if not found or numerator <= 0:
        numerator, denominator = 25, 1
        frame_caps = with_framerate(frame_caps, "25/1")
    duration = SECOND * denominator // numerator
    before = _COMPARED + -(-lead_in // duration)
    first = _COMPARED
    whole = _render(filter, frame_caps, duration, 0, before + _COMPARED)
    part = _render(filter, frame_caps, duration, first, before + _COMPARED)
    times = [number * duration for number in range(before, before + _COMPARED)]
    count = before + _COMPARED
    if len(whole) != count or any(time not in whole for time in times):
        raise Failure("refused", f"{_subject(filter)} makes {len(whole)} frames of {count}, or changes their times; "
                                 "only filters that output each frame with its time can be rendered in segments.")
    if all(part.get(time) == whole[time] for time in times):
        return [whole[time] for time in times]
    if _render(filter, frame_caps, duration, 0, count) != whole:
        raise Failure("refused", f"{_subject(filter)} makes other pictures each time, so segments of different "
                                 "machines would not match.")
    help_ = (f"the lead-in of {lead_in / SECOND:g} s is too short" if lead_in else
             "with --lead-in 2s each segment begins 2 s earlier, and these frames are rendered but not kept")
    raise Failure("refused", f"The picture of {_subject(filter)} depends on the frames before it; {help_}.")


def _subject(filter: str) -> str:
    return f'"{filter}"'


def _render(filter: str, caps: Gst.Caps, duration: int, first: int, end: int) -> dict[int, int]:
    """CRC of the rendered frames by PTS."""
    pipeline = parse(f"appsrc name=source format=time block=true ! videoconvert ! {filter} ! videoconvert ! appsink"
                     " name=sink sync=false max-buffers=4")
    player = Player(pipeline)
    source, sink = pipeline.get_by_name("source"), pipeline.get_by_name("sink")
    source.set_property("caps", caps)
    pictures: dict[int, int] = {}
    try:
        player.start()
        feed_in_background(source, (_noise(caps, number, duration) for number in range(first, end)), player)
        for sample in player.samples(sink):
            buffer = sample.get_buffer()
            pictures[buffer.pts] = PictureHash(sample.get_caps()).of(buffer)
    finally:
        player.stop()
    return pictures


def _noise(caps: Gst.Caps, number: int, duration: int) -> Gst.Buffer:
    """A frame of noise. The frame number is the seed of the noise, so all frames differ."""
    size = GstVideo.VideoInfo.new_from_caps(caps).size
    block = random.Random(number).randbytes(min(size, 65_521))
    buffer = Gst.Buffer.new_wrapped((block * (size // len(block) + 1))[:size])
    buffer.pts, buffer.duration = number * duration, duration
    mode = caps.get_structure(0).get_string("interlace-mode") or "progressive"
    if mode in ("interleaved", "mixed"):
        buffer.set_flags(_INTERLACED | _TOP_FIELD_FIRST)
    return buffer
