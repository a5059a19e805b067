"""Reads the packets of the joined film without decoding them."""

import hashlib
from array import array
from typing import Any

from gi.repository import Gst

from launch import quoted

from .player import Player, discard, parse

_DEMUXERS = {"matroskamux": "matroskademux", "webmmux": "matroskademux", "mp4mux": "qtdemux", "qtmux": "qtdemux"}


def is_header(buffer: Gst.Buffer) -> bool:
    """Whether a buffer is a header of Vorbis or FLAC, which demuxers create from the header of the file."""
    return buffer.pts == Gst.CLOCK_TIME_NONE or buffer.has_flags(Gst.BufferFlags.HEADER)


class _Track:
    def __init__(self, name: str) -> None:
        self.name = name
        self.hash = hashlib.sha256()
        self.pts = array("q")
        # Difference between the PTS and the running time of a packet.
        self.origin = 0
        # PTS at which the segment of the demuxer ends.
        self.stop = Gst.CLOCK_TIME_NONE

    def add(self, pad: Gst.Pad, buffer: Gst.Buffer) -> None:
        if is_header(buffer):
            return
        self.hash.update(buffer.extract_dup(0, buffer.get_size()))
        segment = pad.get_sticky_event(Gst.EventType.SEGMENT, 0).parse_segment()
        # matroskademux may send a second segment that corrects the first one.
        self.origin, self.stop = segment.start - segment.base, segment.stop
        self.pts.append(buffer.pts)

    def written(self, origin: int) -> dict[str, Any]:
        times = [pts - self.origin + origin for pts in self.pts if pts < self.stop]
        return {"packets": len(times), "digest": self.hash.hexdigest(), "times": times}


def check_result(path: str, muxer: str) -> dict[str, Any]:
    """Returns, for each track, the number of visible packets, a checksum of the data of all packets, and the times.

    "origin" is the time in the file at which the demuxer's running time is 0.
    """
    pipeline = parse(f"filesrc location={quoted(path)} ! {_DEMUXERS[muxer]} name=reader")
    player = Player(pipeline)
    tracks: list[_Track] = []

    def on_pad(_reader: Gst.Element, pad: Gst.Pad) -> None:
        track = _Track(pad.get_name())
        tracks.append(track)

        def on_buffer(pad: Gst.Pad, info: Gst.PadProbeInfo) -> Gst.PadProbeReturn:
            player.beat()
            track.add(pad, info.get_buffer())
            return Gst.PadProbeReturn.OK

        pad.add_probe(Gst.PadProbeType.BUFFER, on_buffer)
        discard(pipeline, pad)

    pipeline.get_by_name("reader").connect("pad-added", on_pad)
    try:
        player.start()
        player.run()
    finally:
        player.stop()
    # With matroskademux, running time 0 is the first packet. With qtdemux, running time 0 is time 0 of the file.
    origin = min((track.origin for track in tracks), default=0) if _DEMUXERS[muxer] == "matroskademux" else 0
    return {"origin": origin, **{kind: [track.written(origin) for track in tracks if track.name.startswith(kind)]
                                 for kind in ("video", "audio")}}
