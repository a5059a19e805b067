"""Index of the source: the PTS of each frame, in presentation order."""

import hashlib
import sys
from array import array
from bisect import bisect_left
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .files import read_file, write_file

_VALUE_BYTES = 8


class DamagedIndex(Exception):
    """The index file is damaged or belongs to another film."""


@dataclass(frozen=True)
class FrameIndex:
    """PTS of all frames in presentation order, in nanoseconds. The PTS increase strictly."""

    pts: array

    def __len__(self) -> int:
        return len(self.pts)

    def at_or_after(self, pts: int) -> int:
        """Number of the first frame at or after `pts`."""
        return bisect_left(self.pts, pts)

    @property
    def frame_duration(self) -> int:
        """Mean distance between frames in nanoseconds; 1 s if there is only one frame."""
        if len(self.pts) < 2:
            return 1_000_000_000
        return max(1, (self.pts[-1] - self.pts[0]) // (len(self.pts) - 1))

    @property
    def duration(self) -> int:
        return self.pts[-1] - self.pts[0] + self.frame_duration

    def fault(self) -> str | None:
        """The reason why the index cannot be used, or None if it can be used."""
        if not self.pts:
            return "it has no frames"
        for number in range(1, len(self.pts)):
            if self.pts[number] <= self.pts[number - 1]:
                return f"frames {number - 1} and {number} have the same time, {self.pts[number]} ns"
        return None

    def without(self, lost: list[int]) -> "FrameIndex":
        """The index without the frames at the PTS in `lost`."""
        if not lost:
            return self
        left_out = set(lost)
        return FrameIndex(array("q", (pts for pts in self.pts if pts not in left_out)))

    @property
    def mark(self) -> dict[str, Any]:
        """Number of frames and checksum of the file. The manifest stores both."""
        return {"frames": len(self.pts), "digest": hashlib.sha256(self._data()).hexdigest()}

    def write(self, path: Path) -> None:
        """Writes the index. Returns when the file is on the disk."""
        write_file(path, self._data())

    @classmethod
    def read(cls, path: Path, mark: dict[str, Any] | None = None) -> "FrameIndex":
        """Reads an index. Raises DamagedIndex if it does not match `mark`."""
        data = read_file(path, *(() if mark is None else (_VALUE_BYTES * mark["frames"] + 1,)))
        values = array("q")
        values.frombytes(data[:len(data) // _VALUE_BYTES * _VALUE_BYTES])
        index = cls(_little_endian(values))
        if len(data) % _VALUE_BYTES or mark is not None and index.mark != mark:
            raise DamagedIndex(f"The index of frames {path} is damaged or not that of this film.")
        return index

    def _data(self) -> bytes:
        return _little_endian(self.pts).tobytes()


def spread(pts: array) -> array:
    """Moves each time to at least 2 ms after the previous time. The decoder may output frames with equal times.

    Matroska rounds times to 1 ms, so a smaller distance could be lost. ntscfilter still computes the same frame number.
    """
    times = array("q")
    for time in pts:
        times.append(max(time, times[-1] + 2_000_000) if times else time)
    return times


def _little_endian(values: array) -> array:
    if sys.byteorder == "little":
        return values
    swapped = array("q", values)
    swapped.byteswap()
    return swapped
