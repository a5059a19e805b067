"""Reads the joined film again, without decoding it, and compares it with what was to be written."""

import hashlib
from array import array
from typing import Any

from gi.repository import Gst

from .player import Player, parse, quoted

_DEMUXERS = {"matroskamux": "matroskademux", "webmmux": "matroskademux", "mp4mux": "qtdemux", "qtmux": "qtdemux"}


def is_header(buffer: Gst.Buffer) -> bool:
    """Whether a buffer is a header of Vorbis or FLAC, which demuxers make of the header of the file."""
    return buffer.pts == Gst.CLOCK_TIME_NONE or buffer.has_flags(Gst.BufferFlags.HEADER)


class _Track:
    def __init__(self, name: str) -> None:
        self.name = name
        self.hash = hashlib.sha256()
        self.times = array("q")

    def add(self, pad: Gst.Pad, buffer: Gst.Buffer) -> None:
        if is_header(buffer):
            return
        self.hash.update(buffer.extract_dup(0, buffer.get_size()))
        segment = pad.get_sticky_event(Gst.EventType.SEGMENT, 0).parse_segment()
        sign, time = segment.to_running_time_full(Gst.Format.TIME, buffer.pts)
        self.times.append(sign * time)

    def written(self) -> dict[str, Any]:
        return {"packets": len(self.times), "digest": self.hash.hexdigest(), "times": list(self.times)}


def check_result(path: str, muxer: str) -> dict[str, Any]:
    """The tracks of a file: number of packets, a checksum of their bytes, and the PTS."""
    pipeline = parse(f"filesrc location={quoted(path)} ! {_DEMUXERS[muxer]} name=reader")
    player = Player(pipeline)
    tracks: list[_Track] = []

    def on_pad(_reader: Gst.Element, pad: Gst.Pad) -> None:
        track = _Track(pad.get_name())
        tracks.append(track)
        sink = Gst.ElementFactory.make("fakesink")
        sink.set_property("sync", False)
        sink.set_property("async", False)
        pipeline.add(sink)
        sink.sync_state_with_parent()

        def on_buffer(pad: Gst.Pad, info: Gst.PadProbeInfo) -> Gst.PadProbeReturn:
            player.beat()
            track.add(pad, info.get_buffer())
            return Gst.PadProbeReturn.OK

        pad.add_probe(Gst.PadProbeType.BUFFER, on_buffer)
        pad.link(sink.get_static_pad("sink"))

    pipeline.get_by_name("reader").connect("pad-added", on_pad)
    try:
        player.start()
        player.run()
    finally:
        player.stop()
    return {"video": [track.written() for track in tracks if track.name.startswith("video")],
            "audio": [track.written() for track in tracks if track.name.startswith("audio")]}
