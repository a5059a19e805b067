"""Divides a film into segments. Each segment begins at a multiple of the key interval."""

from dataclasses import dataclass

from .frames import FrameIndex
from .times import SECOND

# Maximum number of frames that a segment renders beyond its end, to compare them with those of the next segment.
_MOST_TAIL = 8
# Minimum length of a segment, unless the film divided by the number of slots is shorter. In shorter segments, quality
# and size differ noticeably from those of one pass.
_SHORTEST = 10 * SECOND
# Cost of a segment (process start, opening, seek, verification), as the film time that could be rendered instead. With
# a lower value, `cut_evenly` would halve the length of the segments for a gain of 1 %.
START = 3 * SECOND


# Maximum rendering time that an interruption of one pass may lose.
_MOST_AT_RISK = 600.0
# Minimum part of the time that a division must save. The speed measured with a few frames varies by about this part.
_LEAST_GAIN = 0.05


@dataclass(frozen=True)
class Speed:
    """Speed of rendering on this machine, measured with a few frames."""

    # Seconds per frame in one pass. The elements of one pass use as many processors as they can.
    frame: float
    # Part of the time of all processors that is idle during one pass, from 0 to 1.
    idle: float
    # Part of the used processor time that verification takes, from 0 to 1.
    verification: float
    # Seconds to start a process, open the source and seek.
    start: float

    def pays_from(self, workers: int) -> int:
        """The minimum number of frames for which segments on `workers` workers are better than one pass.

        Segments are faster if one pass leaves processors idle and the film is long compared with the start of a
        process. If the film takes more than 10 min, segments also limit the time that an interruption loses.
        """
        gain = self.frame * min(self.idle, 1 - 1 / workers) - _LEAST_GAIN * self.frame
        longest = _MOST_AT_RISK / self.frame
        return round(min(self.start / gain, longest) if gain > 0 else longest)


@dataclass(frozen=True)
class Segment:
    """Frames `first` to `end` (exclusive) of the film."""

    number: int
    first: int
    end: int

    def __len__(self) -> int:
        return self.end - self.first


@dataclass(frozen=True)
class Cuts:
    """Segments of `step` frames each. The last segment may be shorter."""

    frame_count: int
    step: int

    def __len__(self) -> int:
        return -(-self.frame_count // self.step)

    def __getitem__(self, number: int) -> Segment:
        if not 0 <= number < len(self):
            raise IndexError(number)
        return Segment(number, number * self.step, min((number + 1) * self.step, self.frame_count))

    def most_frames(self, slots: int) -> int:
        """Maximum number of frames that one slot renders, if each free slot takes the next segment."""
        rounds, rest = divmod(len(self) - 1, slots)
        return rounds * self.step + (self.step if rest else len(self[len(self) - 1]))

    def most_work(self, slots: int, frame_duration: int) -> float:
        """Returns `most_frames` plus the cost of starting the segments of that slot, as a number of frames."""
        return self.most_frames(slots) + -(-len(self) // slots) * START / frame_duration

    @property
    def tail(self) -> int:
        """Number of frames that a segment renders beyond its end: 2 % of its frames, at least 1 and at most 8."""
        return max(1, min(_MOST_TAIL, self.step // 50))


def cut(frames: FrameIndex, length: int, key_interval: int) -> Cuts:
    """Segments of about `length` nanoseconds. Each begins at a multiple of `key_interval` frames."""
    wanted = length / frames.frame_duration
    return Cuts(len(frames), max(1, round(wanted / key_interval)) * key_interval)


def cut_evenly(frames: FrameIndex, slots: int, longest: int, key_interval: int) -> Cuts:
    """Selects the division that all slots together complete first. Segments last 10 s to about `longest` nanoseconds.

    Unequal shares waste time: with 21 segments on 4 slots, 3 slots are idle while one slot renders the last segment. If
    the film divided by the slots is shorter than `longest`, each slot gets one segment. If it is longer, each slot gets
    at least two segments, so that a faster slot can take one of another slot.
    """
    slots, interval = max(1, slots), frames.frame_duration * key_interval
    share = frames.duration // slots
    length = share if share < longest else min(longest, share // 2)
    most, least = max(1, -(-length // interval)), max(1, min(length, _SHORTEST) // interval)
    divisions = [Cuts(len(frames), intervals * key_interval) for intervals in range(most, least - 1, -1)]
    return min(divisions, key=lambda cuts: cuts.most_work(slots, frames.frame_duration))


def cut_without_seek(frames: FrameIndex, slots: int, key_interval: int) -> Cuts:
    """Makes only one segment for each slot, because each segment decodes the film from the beginning of the film."""
    for_each = -(-len(frames) // max(1, slots))
    return Cuts(len(frames), -(-for_each // key_interval) * key_interval)
