"""Compares the result of a segment with the plan, and the pictures of neighbouring segments."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from .plan import Cuts
from .times import timestamp


# Maximum change of a time by a container, in nanoseconds.
_ROUNDING = 1_000_000
# Number of pictures at the start of each segment that are decoded again from the joined film.
OPENING = 8


@dataclass(frozen=True)
class Result:
    """Report of a worker about a rendered segment."""

    number: int
    file: str
    size: int
    digest: str
    caps: str
    frames: int
    # CRC of each of the first pictures of this segment (`head`), and of the pictures rendered beyond its end (`tail`).
    head: list[int]
    tail: list[int]
    # Checksum of all pictures that were decoded from the segment; empty if the segment was not decoded.
    decoded: str
    # Mode of reading the source: "seek", or "skip" for reading it from its beginning.
    mode: str
    depth: int
    # PTS of the frames of the source that could not be decoded.
    lost: list[int] = field(default_factory=list)
    # Checksum of the first OPENING pictures that were decoded from the segment.
    opening: str = ""
    worker: str = ""
    seconds: float = 0.0

    def __post_init__(self) -> None:
        """Raises ValueError if `file` names a file in another folder, because other users may change the manifest."""
        if not isinstance(self.number, int) or "/" in self.file or self.file in ("", ".", ".."):
            raise ValueError(f"segment {self.number!r} has the file {self.file!r}")


def packet_fault(expected: Sequence[int], pts: Sequence[int], first_is_key: bool) -> str | None:
    """The reason why the packets of an encoder do not match the expected frames, or None. `pts` is in decode order."""
    if not first_is_key:
        return "the encoder did not begin with a key frame"
    if pts and pts[0] != expected[0]:
        return "the first encoded frame is not the first frame of the segment: the encoder's GOPs are not closed"
    return times_fault("the encoder returned", sorted(pts), expected)


def times_fault(what: str, found: Sequence[int], expected: Sequence[int]) -> str | None:
    """The first difference between two lists of PTS, or None."""
    for number, time in enumerate(expected):
        if number >= len(found):
            return f"{what} {len(found)} of {len(expected)} frames; the frame at {timestamp(time)} is missing"
        if found[number] < time:
            return f"{what} a frame at {timestamp(found[number])} ({found[number]} ns) that is not in the source"
        if found[number] > time:
            return f"{what} no frame at {timestamp(time)} ({time} ns)"
    if len(found) > len(expected):
        return f"{what} {len(found)} frames instead of {len(expected)}"
    return None


def lost_frames(expected: Sequence[int], fed: Sequence[int]) -> list[int]:
    """PTS of expected frames that the decoder did not output. In the mode "seek", the list is always empty."""
    decoded = set(fed)
    return [pts for pts in expected if pts not in decoded]


def open_joints(results: Mapping[int, Result], cuts: Cuts) -> list[int]:
    """Numbers of the segments whose first pictures differ from the same pictures in the tail of the previous segment.

    The previous segment reached these frames without a seek. A difference means that the seek to the segment was not
    exact, or that the filter depends on more frames than it received.
    """
    different = []
    for number in range(1, len(cuts)):
        before, after = results.get(number - 1), results.get(number)
        if before is None or after is None:
            continue
        if is_open(before, after, cuts.tail):
            different.append(number)
    return different


def is_open(before: Result, after: Result, tail: int) -> bool:
    """Whether two neighbours differ in the first `tail` pictures of `after`. Lost frames are not compared."""
    needed = min(tail, after.frames) - len(after.lost)
    length = min(len(before.tail), len(after.head))
    return length < needed or before.tail[:length] != after.head[:length]


def caps_fault(results: Mapping[int, Result]) -> str | None:
    """The reason why the segments cannot be joined, or None: their encoders may have written different headers."""
    numbers = sorted(results)
    for number in numbers[1:]:
        if results[number].caps != results[numbers[0]].caps:
            difference = _difference(results[numbers[0]].caps, results[number].caps)
            return (f"Segments {numbers[0]} and {number} have different headers, so they cannot be joined without "
                    f"encoding again: {difference}. Encoder and versions must be the same on each machine; with "
                    "x264enc, option-string=stitchable=1 makes headers that do not depend on the pictures.")
    return None


def _difference(caps: str, other: str) -> str:
    """The fields of `caps` that differ from those of `other`."""
    fields = [field for field in caps.split(", ") if field not in other.split(", ")] or [caps]
    return ", ".join(field[:80] for field in fields)


def written_fault(received: Mapping[str, Any], found: Mapping[str, Any], times: Sequence[int]) -> str | None:
    """The difference between the written file and the packets that the muxer received, or None.

    `times` are the running times of the frames. Matroska rounds times to 1 ms. In an MP4 file, the times begin at the
    first packet, so `received["begin"]` is subtracted from `times`.
    """
    begin = received["begin"]
    if len(found["video"]) != 1 or len(found["audio"]) != len(received["audio"]):
        return f"it has {len(found['video'])} video and {len(found['audio'])} audio streams"
    video = found["video"][0]
    if video["packets"] != len(times):
        return f"it has {video['packets']} of {len(times)} frames"
    if video["digest"] != received["digest"]:
        return "its video is not that of the segments"
    fault = _shift_fault("frame", sorted(video["times"]), times, begin)
    for sent, stored in zip(received["audio"], found["audio"]):
        if sent["is_raw"] and stored["digest"] == sent["digest"]:
            # MP4 and MOV do not store the packet boundaries of raw audio.
            sent, stored = ({**track, "packets": 1, "times": track["times"][:1]} for track in (sent, stored))
        if fault is None and (sent["packets"], sent["digest"]) != (stored["packets"], stored["digest"]):
            return f"its audio has {stored['packets']} of {sent['packets']} packets, or other ones"
        fault = fault or _shift_fault("audio packet", stored["times"], sent["times"], begin)
    return fault


def short_track(tracks: Sequence[tuple[int, int]], part: int = 5) -> int | None:
    """Number of the first track that is shorter than 1/`part` of the film, or None.

    A track is a pair of start and end. In an MP4, GStreamer treats a track shorter than 1/5 of the film as a picture.
    """
    whole = max(end for _, end in tracks) - min(begin for begin, _ in tracks)
    return next((number for number, (begin, end) in enumerate(tracks) if (end - begin) * part < whole), None)


def _shift_fault(what: str, found: Sequence[int], expected: Sequence[int], begin: int) -> str | None:
    last = None
    for number, (time, right) in enumerate(zip(found, expected)):
        if abs(time - (right - begin)) > _ROUNDING:
            return f"{what} {number} is at {timestamp(time)} instead of {timestamp(right - begin)}"
        if what == "frame" and last is not None and time <= last:
            return f"frames {number - 1} and {number} have the same time, {timestamp(time)}"
        last = time
    return None
