"""Where the film is cut: segments that begin at multiples of the key interval."""

from dataclasses import dataclass

from .frames import FrameIndex
from .times import SECOND

# Frames that a segment renders beyond its end, to compare them with the first frames of the next segment.
_MOST_TAIL = 8
# Least nanoseconds of a segment, unless a slot has less to render: quality and size of shorter ones are not those of
# one encoder.
_SHORTEST = 10 * SECOND
# Nanoseconds of film that could be rendered while a process starts, opens the source, seeks and verifies. With less,
# a gain of one percent would be worth segments of half the length.
START = 3 * SECOND


# Seconds of rendering that an interruption of one pass may lose.
_MOST_AT_RISK = 600.0
# Less than this part of the time is not worth a division: the measured speed of a few frames varies as much.
_LEAST_GAIN = 0.05


@dataclass(frozen=True)
class Speed:
    """How fast this machine renders, as measured with a few frames."""

    # Seconds that one pass takes for a frame; it uses as many processors as its elements can.
    frame: float
    # The part of the processors that is idle meanwhile.
    idle: float
    # The part of the work that is verification.
    verification: float
    # Seconds that a process takes to start, and to open and seek the source.
    start: float

    def pays_from(self, workers: int) -> int:
        """The number of frames from which on segments on that many workers are better than one pass.

        They are faster if one pass leaves processors idle, and the film is long enough for another start; and finished
        ones are kept if the program is interrupted.
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

    def most_work(self, slots: int, frame_duration: int) -> float:
        """As `most_frames`, with the frames that could be rendered while the segments of the slot start."""
        return self.most_frames(slots) + -(-len(self) // slots) * START / frame_duration

    @property
    def tail(self) -> int:
        """How many frames of the next segment a segment also renders: at most 8, and 2 % of its frames, but one."""
        return max(1, min(_MOST_TAIL, self.step // 50))


def cut(frames: FrameIndex, length: int, key_interval: int) -> Cuts:
    """Segments of about `length` nanoseconds; each begins at a multiple of `key_interval` frames."""
    wanted = length / frames.frame_duration
    return Cuts(len(frames), max(1, round(wanted / key_interval)) * key_interval)


def cut_evenly(frames: FrameIndex, slots: int, longest: int, key_interval: int) -> Cuts:
    """The division that all slots together complete first, into segments of 10 s to about `longest` nanoseconds.

    Equal shares matter most: in a film of 21 segments, three of four slots would be idle while one renders the last
    segment. A slot with less than `longest` to render has one segment, and otherwise at least two, of which a faster
    slot may take one.
    """
    slots, interval = max(1, slots), frames.frame_duration * key_interval
    share = frames.duration // slots
    length = share if share < longest else min(longest, share // 2)
    most, least = max(1, -(-length // interval)), max(1, min(length, _SHORTEST) // interval)
    divisions = [Cuts(len(frames), intervals * key_interval) for intervals in range(most, least - 1, -1)]
    return min(divisions, key=lambda cuts: cuts.most_work(slots, frames.frame_duration))


def cut_without_seek(frames: FrameIndex, slots: int, key_interval: int) -> Cuts:
    """One segment for each slot, because each segment decodes the film from its beginning."""
    for_each = -(-len(frames) // max(1, slots))
    return Cuts(len(frames), -(-for_each // key_interval) * key_interval)
