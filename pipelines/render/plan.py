"""Where the film is cut: segments that begin at multiples of the key interval."""

from dataclasses import dataclass

from .frames import FrameIndex

# Frames that a segment renders beyond its end, to compare them with the first frames of the next segment.
_MOST_TAIL = 8
# By how much the slot with the most frames may exceed the mean, for longer segments.
_MOST_EXCESS = 0.05


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
    """Segments of `step` frames each; the last one may be shorter."""

    frame_count: int
    step: int

    def __len__(self) -> int:
        return -(-self.frame_count // self.step)

    def __getitem__(self, number: int) -> Segment:
        if not 0 <= number < len(self):
            raise IndexError(number)
        return Segment(number, number * self.step, min((number + 1) * self.step, self.frame_count))

    def most_frames(self, slots: int) -> int:
        """Frames of the slot that renders most, if each takes the next segment when it has rendered one."""
        rounds, rest = divmod(len(self) - 1, slots)
        return rounds * self.step + (self.step if rest else len(self[len(self) - 1]))

    @property
    def tail(self) -> int:
        """How many frames of the next segment a segment also renders: at most 8, and 2 % of its frames, but one."""
        return max(1, min(_MOST_TAIL, self.step // 50))


def cut(frames: FrameIndex, length: int, key_interval: int) -> Cuts:
    """Segments of about `length` nanoseconds; each begins at a multiple of `key_interval` frames."""
    wanted = length / frames.frame_duration
    return Cuts(len(frames), max(1, round(wanted / key_interval)) * key_interval)


def cut_evenly(frames: FrameIndex, slots: int, longest: int, key_interval: int) -> Cuts:
    """The longest segments of about `longest` nanoseconds or less that give each slot nearly the same number of frames.

    In a film of 21 segments, three of four slots would be idle while one renders the last segment.
    """
    slots = max(1, slots)
    length = min(longest, max(1, frames.duration // (3 * slots)))
    most = max(1, -(-length // (frames.frame_duration * key_interval)))
    divisions = [Cuts(len(frames), intervals * key_interval) for intervals in range(most, 0, -1)]
    limit = (1 + _MOST_EXCESS) * len(frames) / slots
    for cuts in divisions:
        if cuts.most_frames(slots) <= limit:
            return cuts
    return min(divisions, key=lambda cuts: cuts.most_frames(slots))


def cut_without_seek(frames: FrameIndex, slots: int, key_interval: int) -> Cuts:
    """One segment for each slot, because each segment decodes the film from its beginning."""
    for_each = -(-len(frames) // max(1, slots))
    return Cuts(len(frames), -(-for_each // key_interval) * key_interval)
