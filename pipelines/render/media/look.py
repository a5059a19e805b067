"""Decodes the first frames of a source. Returns their caps, checksums and times."""

from pathlib import Path
from typing import Any

from gi.repository import Gst

from ..frames import FrameIndex
from .failure import Failure
from .inspect import check_reading, reading_elements, versions_of
from .pictures import PictureHash, bits
from .player import Player, discard, parse, reader_of, video_reader

_FRAMES = 48
# Number of pictures that are compared between machines.
_PICTURES = 6


def look(source: str, stream: str, index: str) -> dict[str, Any]:
    """Returns the format of the decoded video. "is_indexed" is False if the times of frames and index differ."""
    frames = FrameIndex.read(Path(index))
    fault = frames.fault()
    if fault is not None:
        raise Failure("refused", f"The video of {source} cannot be divided: {fault}.")
    caps, times, _, reading = _decode(source, stream, _FRAMES)
    structure = caps.get_structure(0)
    found, numerator, denominator = structure.get_fraction("framerate")
    return {"caps": caps.to_string(), "framerate": f"{numerator}/{denominator}" if found else "0/1",
            "bits": bits(caps), "width": structure.get_int("width")[1], "height": structure.get_int("height")[1],
            "is_indexed": times == list(frames.pts[:len(times)]) and len(times) == min(_FRAMES, len(frames)),
            "reading": reading, "versions": versions_of(reading)}


def first_pictures(source: str, stream: str, reading: list[str]) -> list[int]:
    """Checksums of the first decoded pictures. Fails if decodebin selects other elements than `reading`."""
    return _decode(source, stream, _PICTURES, reading)[2]


def _decode(source: str, stream: str, count: int,
            expected: list[str] | None = None) -> tuple[Gst.Caps, list[int], list[int], list[str]]:
    """Caps, PTS and checksums of the first frames, and the elements that decodebin has selected."""
    pipeline = parse(f"{video_reader(source)}  appsink name=sink sync=false max-buffers=4")
    player = Player(pipeline, stall=60)
    sink = pipeline.get_by_name("sink")

    def on_pad(_reader: Gst.Element, pad: Gst.Pad) -> None:
        if pad.get_stream_id() == stream:
            pad.link(sink.get_static_pad("sink"))
        else:
            discard(pipeline, pad)

    reader = reader_of(pipeline, "audio/")
    reader.connect("pad-added", on_pad)
    times: list[int] = []
    pictures: list[int] = []
    reading: list[str] = []
    caps = None
    try:
        player.start()
        for sample in player.samples(sink):
            if caps is None:
                caps = sample.get_caps().copy()
                if expected is not None:
                    check_reading(expected, reader)
                reading = reading_elements(reader)
            times.append(sample.get_buffer().pts)
            if len(pictures) < _PICTURES:
                pictures.append(PictureHash(sample.get_caps()).of(sample.get_buffer()))
            if len(times) == count:
                break
    finally:
        player.stop()
    if caps is None:
        raise Failure("refused", f"GStreamer cannot decode the video of {source}.")
    return caps, times, pictures, reading
