"""Decodes the first frames of a source: their format, and whether the index has their times."""

from pathlib import Path
from typing import Any

from gi.repository import Gst

from ..frames import FrameIndex
from .failure import Failure
from .player import Player, parse, quoted

_FRAMES = 48


def look(source: str, stream: str, index: str) -> dict[str, Any]:
    """The raw caps of the video; `is_indexed` is false if the decoder outputs other times than the packets have."""
    frames = FrameIndex.read(Path(index))
    fault = frames.fault()
    if fault is not None:
        raise Failure("refused", f"The video of {source} cannot be divided: {fault}.")
    pipeline = parse(f"filesrc location={quoted(source)} ! decodebin name=reader caps=video/x-raw(ANY)"
                     " expose-all-streams=false  appsink name=sink sync=false max-buffers=4")
    player = Player(pipeline, stall=60)
    sink = pipeline.get_by_name("sink")

    def on_pad(_reader: Gst.Element, pad: Gst.Pad) -> None:
        if pad.get_stream_id() == stream:
            pad.link(sink.get_static_pad("sink"))

    pipeline.get_by_name("reader").connect("pad-added", on_pad)
    times: list[int] = []
    caps = None
    try:
        player.start()
        for sample in player.samples(sink):
            caps = caps or sample.get_caps().copy()
            times.append(sample.get_buffer().pts)
            if len(times) == _FRAMES:
                break
    finally:
        player.stop()
    if caps is None:
        raise Failure("refused", f"GStreamer cannot decode the video of {source}.")
    structure = caps.get_structure(0)
    found, numerator, denominator = structure.get_fraction("framerate")
    return {"caps": caps.to_string(), "framerate": f"{numerator}/{denominator}" if found else "0/1",
            "width": structure.get_int("width")[1], "height": structure.get_int("height")[1],
            "is_indexed": times == list(frames.pts[:len(times)]) and len(times) == min(_FRAMES, len(frames))}
