"""Decodes parts of the joined film, to compare their pictures with those of the segments."""

from gi.repository import Gst

from launch import quoted

from ..checks import OPENING
from .decode import PictureSum
from .failure import Failure
from .pictures import COMPARABLE, prepare_sink
from .player import Player, parse


def watch(path: str, parts: list[dict[str, int]]) -> dict[str, str]:
    """Checksum of the decoded pictures of each part of the film, by the "number" of the part.

    A part has `number`, `first` (time of its first frame in the film), `before` (time of the previous frame) and
    `count` (number of frames).
    """
    reader = _Reader(path)
    sums = {}
    try:
        for part in parts:
            found = reader.checksum(**part)
            if found is None:
                # If one stream begins later, matroskamux writes too short a duration, beyond which no seek is possible.
                reader.stop()
                reader = _Reader(path)
                found = reader.checksum(**part, is_sought=False)
            if found is None:
                raise Failure("media", f"The joined film ends in segment {part['number']}.")
            sums[str(part["number"])] = found
    finally:
        reader.stop()
    return sums


class _Reader:
    def __init__(self, path: str) -> None:
        pipeline = parse(f"filesrc location={quoted(path)} ! decodebin name=reader caps=video/x-raw(ANY)"
                         f" expose-all-streams=false  {COMPARABLE}")
        self._sink = prepare_sink(pipeline)
        first = pipeline.get_by_name("comparable").get_static_pad("sink")
        pipeline.get_by_name("reader").connect("pad-added", lambda _, pad: pad.link(first))
        self._player = Player(pipeline)
        self._player.pause()

    def stop(self) -> None:
        self._player.stop()

    def checksum(self, number: int, first: int, before: int, count: int, is_sought: bool = True) -> str | None:
        """Checksum of one part; None if the film ends within the part. Without `is_sought`, reads the whole film."""
        # The target lies between two frames, because the decoder may move the PTS of the previous frame to the target.
        target = max(0, (before + first) // 2)
        if is_sought and not self._player.pipeline.seek(
                1.0, Gst.Format.TIME, Gst.SeekFlags.FLUSH | Gst.SeekFlags.ACCURATE, Gst.SeekType.SET, target,
                Gst.SeekType.NONE, 0):
            raise Failure("media", f"The joined film cannot be sought to segment {number}.")
        self._player.start()
        pictures = PictureSum()
        for sample in self._player.samples(self._sink):
            time = sample.get_segment().to_stream_time(Gst.Format.TIME, sample.get_buffer().pts)
            if time == Gst.CLOCK_TIME_NONE or 2 * time < target + first:
                continue
            pictures.add(sample)
            if len(pictures.times) == count:
                return pictures.opening if count <= OPENING else pictures.whole
        return None
