"""Decodes parts of the joined film, to prove that it has the pictures of the segments."""

from gi.repository import Gst

from ..checks import OPENING
from .decode import PictureSum
from .failure import Failure
from .pictures import COMPARABLE, prepare_sink
from .player import Player, parse, quoted


def watch(path: str, parts: list[dict[str, int]]) -> dict[str, str]:
    """Checksums of the decoded pictures by the number of the part.

    A part has `number`, `first` (the time of its first frame in the file), `before` (that of the frame before it) and
    `count`.
    """
    pipeline = parse(f"filesrc location={quoted(path)} ! decodebin name=reader caps=video/x-raw(ANY)"
                     f" expose-all-streams=false  {COMPARABLE}")
    sink = prepare_sink(pipeline)
    first = pipeline.get_by_name("comparable").get_static_pad("sink")
    pipeline.get_by_name("reader").connect("pad-added", lambda _, pad: pad.link(first))
    player = Player(pipeline)
    try:
        player.pause()
        return {str(part["number"]): _checksum(player, sink, **part) for part in parts}
    finally:
        player.stop()


def _checksum(player: Player, sink: Gst.Element, number: int, first: int, before: int, count: int) -> str:
    # The target lies between two frames. The decoder may move the frame before to it.
    target = max(0, (before + first) // 2)
    if not player.pipeline.seek(1.0, Gst.Format.TIME, Gst.SeekFlags.FLUSH | Gst.SeekFlags.ACCURATE, Gst.SeekType.SET,
                                target, Gst.SeekType.NONE, 0):
        raise Failure("media", f"The joined film cannot be sought to segment {number}.")
    player.start()
    pictures = PictureSum()
    for sample in player.samples(sink):
        time = sample.get_segment().to_stream_time(Gst.Format.TIME, sample.get_buffer().pts)
        if time == Gst.CLOCK_TIME_NONE or 2 * time < target + first:
            continue
        pictures.add(sample)
        if len(pictures.times) == count:
            return pictures.opening if count <= OPENING else pictures.whole
    raise Failure("media", f"The joined film ends in segment {number}, after {len(pictures.times)} of {count} frames.")
