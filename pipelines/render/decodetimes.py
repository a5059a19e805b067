"""Decode times of the joined film.

Each segment comes from an encoder of its own, whose first DTS lie before its first frame. Joined as they are, those of
a variable frame rate would run backwards at the cuts. One encoder for the whole film would output the PTS in order,
shifted by its delay; this is what these functions compute.
"""

from array import array
from collections.abc import Sequence


def reorder_depth(pts: Sequence[int]) -> int:
    """The smallest delay, in frames, with which every frame of one segment is decoded before it is shown."""
    rank = {time: position for position, time in enumerate(sorted(pts))}
    return max((position - rank[time] for position, time in enumerate(pts)), default=0)


def decode_time(number: int, pts: array, depth: int, frame_duration: int) -> int:
    """DTS of the frame at position `number` in decode order; `pts` are the PTS of the film in order.

    The first `depth` frames are decoded before the film begins, in steps of a frame.
    """
    if number >= depth:
        return pts[number - depth]
    return pts[0] - (depth - number) * frame_duration
