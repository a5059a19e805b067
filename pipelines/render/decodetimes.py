"""Computes the decode times (DTS) of the joined film.

Each segment has its own encoder, whose first DTS precede the PTS of its first frame. With a variable frame rate, the
DTS of joined segments would therefore decrease at the cuts. These functions compute the DTS of a single encoder
instead: the sorted PTS, delayed by a number of frames.
"""

from array import array
from collections.abc import Sequence


def reorder_depth(pts: Sequence[int]) -> int:
    """Minimum delay in frames that puts the DTS of each frame of a segment at or before its PTS."""
    rank = {time: position for position, time in enumerate(sorted(pts))}
    return max((position - rank[time] for position, time in enumerate(pts)), default=0)


def decode_time(number: int, pts: array, depth: int, frame_duration: int) -> int:
    """DTS of the frame at position `number` in decode order. `pts` are the sorted PTS of the film.

    The DTS of the first `depth` frames precede the film, at intervals of `frame_duration`.
    """
    if number >= depth:
        return pts[number - depth]
    return pts[0] - (depth - number) * frame_duration
