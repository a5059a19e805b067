"""The frames of the source: the PTS of each, in the order of presentation."""

import sys
from array import array
from bisect import bisect_left
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class FrameIndex:
    """PTS of all frames as the decoder outputs them, in nanoseconds; strictly increasing."""

    pts: array

    def __len__(self) -> int:
        return len(self.pts)

    def at_or_after(self, pts: int) -> int:
        """The number of the first frame at or after `pts`."""
        return bisect_left(self.pts, pts)

    @property
    def frame_duration(self) -> int:
        """The mean distance of two frames, in nanoseconds; 1 s if there is only one frame."""
        if len(self.pts) < 2:
            return 1_000_000_000
        return max(1, (self.pts[-1] - self.pts[0]) // (len(self.pts) - 1))

    @property
    def duration(self) -> int:
        return self.pts[-1] - self.pts[0] + self.frame_duration

    def fault(self) -> str | None:
        """What makes the index unusable; None if it is sound."""
        if not self.pts:
            return "it has no frames"
        for number in range(1, len(self.pts)):
            if self.pts[number] <= self.pts[number - 1]:
                return f"frames {number - 1} and {number} have the same time, {self.pts[number]} ns"
        return None

    def write(self, path: Path) -> None:
        path.write_bytes(_little_endian(self.pts).tobytes())

    @classmethod
    def read(cls, path: Path) -> "FrameIndex":
        values = array("q")
        values.frombytes(path.read_bytes())
        return cls(_little_endian(values))


def _little_endian(values: array) -> array:
    if sys.byteorder == "little":
        return values
    swapped = array("q", values)
    swapped.byteswap()
    return swapped
