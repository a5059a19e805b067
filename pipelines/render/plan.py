"""Where the film is cut: segments that begin at multiples of the key interval."""

from dataclasses import dataclass

from .frames import FrameIndex

# Frames that a segment renders beyond its end, to compare them with the first frames of the next segment.
_MOST_TAIL = 8


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

    @property
    def tail(self) -> int:
        """How many frames of the next segment a segment also renders: at most 8, and 2 % of its frames, but one."""
        return max(1, min(_MOST_TAIL, self.step // 50))


def cut(frames: FrameIndex, length: int, key_interval: int) -> Cuts:
    """Segments of about `length` nanoseconds; each begins at a multiple of `key_interval` frames."""
    wanted = length / frames.frame_duration
    return Cuts(len(frames), max(1, round(wanted / key_interval)) * key_interval)


def default_length(duration: int, slots: int, longest: int) -> int:
    """Segment length if none is given: `longest`, or less if that would leave workers of a short film idle."""
    return min(longest, max(1, duration // max(1, 3 * slots)))


def cut_without_seek(frames: FrameIndex, slots: int, key_interval: int) -> Cuts:
    """One segment for each slot, because each segment decodes the film from its beginning."""
    for_each = -(-len(frames) // max(1, slots))
    return Cuts(len(frames), -(-for_each // key_interval) * key_interval)
