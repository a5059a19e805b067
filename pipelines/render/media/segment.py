"""Renders one segment with source, filter and encoder, and writes its packets to a file."""

import os
import re
import threading
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Any

from gi.repository import Gst, GstVideo

from ..checks import Result, lost_frames, packet_fault, times_fault
from ..decodetimes import reorder_depth
from ..frames import FrameIndex
from ..packets import NO_TIME, Packet, PacketWriter
from ..plan import Segment
from .decode import decoded_checksum
from .failure import Failure
from .feed import Feed, Wanted
from .gate import Gate
from .inspect import check_reading
from .muxers import video_caps
from .pictures import bits, direction
from .player import Player, discard, parse, reader_of, video_reader
from .report import report_progress

_NONE = Gst.CLOCK_TIME_NONE
# Number of frames between the target of a seek and the first wanted frame.
_SPARE = 3


class SegmentRenderer:
    """The pipeline that renders one segment of a job."""

    def __init__(self, job: dict[str, Any], frames: FrameIndex, segment: Segment, tail: int, mode: str) -> None:
        self._job, self._segment, self._mode = job, segment, mode
        lead = job["lead_in"]
        first = frames.at_or_after(frames.pts[segment.first] - lead) if lead else segment.first
        # A filter with a delay also requires frames after the segment.
        last = segment.end + tail
        if lead and segment.end < len(frames):
            last = max(last, frames.at_or_after(frames.pts[segment.end] + lead))
        last = min(last, len(frames))
        after = frames.pts[last] if last < len(frames) else None
        self.wanted = Wanted(list(frames.pts[first:last]), first, mode == "seek", after, job["framerate"],
                             job["origin"], frames.pts if job["is_counted"] else None)
        # The target of a seek lies between two frames, because a seek may change the PTS of a frame at the target. The
        # target is 3 frames early, because matroskademux may not yet know the start of its stream time.
        between = max(0, first - _SPARE)
        self._target = max(0, (frames.pts[between] + frames.pts[between + 1]) // 2 - job["seek_origin"]) if first else 0
        # The filter receives upright pictures. With video-direction=auto, videoflip would negotiate the unrotated size
        # before it receives the orientation tag.
        turn = direction(job["tags"])
        flip = f"videoflip video-direction={turn} ! " if turn else ""
        self.pipeline = parse(
            f"{video_reader(job['source'])}  videoconvert name=render ! {flip}{job['filter']}"
            " ! queue max-size-buffers=4 max-size-bytes=0 max-size-time=0 ! videoconvert"
            # A job of an earlier version has no caps.
            f" ! {job.get('chroma', '')}identity name=gate"
            # There is no queue before the encoder, because a queue can change the format that is negotiated.
            f" ! {job['encoder']}"
            " ! appsink name=sink sync=false max-buffers=64")
        # The caps make the encoder select a stream format that the muxer accepts, such as avc instead of byte-stream.
        self.pipeline.get_by_name("sink").set_property("caps", video_caps(Gst.ElementFactory.find(job["muxer"])))
        self.player = Player(self.pipeline)
        end = frames.pts[segment.end] if segment.end < len(frames) else None
        self.gate = Gate(self.pipeline.get_by_name("gate").get_static_pad("src"), frames.pts[segment.first], end, tail,
                         job["framerate"], self.player)
        self._feed: Feed | None = None
        self._reader_pad: Gst.Pad | None = None
        self._has_frame = threading.Event()
        self.caps = ""
        # Bits per colour component: the minimum of the values before and after the filter.
        self.bits = 0
        reader = reader_of(self.pipeline, "audio/")
        reader.connect("pad-added", self._on_pad)
        reader.connect("no-more-pads", self._on_all_pads)

    def _on_pad(self, _reader: Gst.Element, pad: Gst.Pad) -> None:
        if pad.get_stream_id() != self._job["stream"] or self._feed is not None:
            discard(self.pipeline, pad)
            return
        self._reader_pad = pad
        self._feed = Feed(pad, self.wanted, self.player, self._has_frame)
        if self._mode != "seek" or self.wanted.first == 0:
            self._feed.open()
        if pad.link(self.pipeline.get_by_name("render").get_static_pad("sink")) != Gst.PadLinkReturn.OK:
            caps = pad.get_current_caps() or pad.query_caps(None)
            self.player.fail(Failure("media", f"videoconvert does not accept the video: {caps.to_string()}"))

    def _on_all_pads(self, _reader: Gst.Element) -> None:
        if self._feed is None:
            self.player.fail(Failure("media", f"{self._job['source']} has no video stream {self._job['stream']}."))

    def packets(self) -> Iterator[Packet]:
        """Plays the pipeline. Yields the packets in decode order."""
        try:
            self.player.start()
            if self._mode == "seek" and self.wanted.first > 0:
                self._seek()
            sink = self.pipeline.get_by_name("sink")
            for sample in self.player.samples(sink):
                if not self.caps:
                    self.caps = stable_caps(sample.get_caps())
                    self.bits = min(bits(self.pipeline.get_by_name(name).get_static_pad("src").get_current_caps())
                                    for name in ("render", "gate"))
                    check_reading(self._job["reading"], self.pipeline.get_by_name("reader"))
                packet = self._packet(sample)
                if packet is not None:
                    yield packet
        except Failure as failure:
            raise self._with_reason(failure) from failure
        finally:
            self.player.stop()

    def _with_reason(self, failure: Failure) -> Failure:
        """The failure; or one that names the reason, if x264 refuses the size of the pictures without a reason."""
        caps = self.pipeline.get_by_name("gate").get_static_pad("src").get_current_caps()
        if caps is None or not failure.text.startswith("x264enc"):
            return failure
        info = GstVideo.VideoInfo.new_from_caps(caps)
        # The last component is a chroma component. Grey video has only one component.
        chroma = info.finfo.n_components - 1
        if info.width % (1 << info.finfo.w_sub[chroma]) == info.height % (1 << info.finfo.h_sub[chroma]) == 0:
            return failure
        return Failure("refused", f"x264enc does not encode {info.finfo.name} of the odd size "
                                  f"{info.width}x{info.height}. Use an output that ends in .webm, or 4:4:4: --filter "
                                  f'"{self._job["filter"]} ! videoconvert ! video/x-raw,format=Y444"')

    def _seek(self) -> None:
        """Waits for the first frame of the decoder, and then seeks to the target."""
        while not self._has_frame.wait(0.02):
            self.player.check()
        event = Gst.Event.new_seek(1.0, Gst.Format.TIME, Gst.SeekFlags.FLUSH | Gst.SeekFlags.ACCURATE,
                                   Gst.SeekType.SET, self._target, Gst.SeekType.NONE, 0)
        if not self._reader_pad.send_event(event):
            raise Failure("inexact", "The source cannot be sought.")

    def _packet(self, sample: Gst.Sample) -> Packet | None:
        buffer, segment = sample.get_buffer(), sample.get_segment()
        if buffer.pts == _NONE:
            if buffer.has_flags(Gst.BufferFlags.HEADER):
                # Ignore a header, because the caps also contain it.
                return None
            raise Failure("refused", "The encoder returns frames without a PTS.")

        def source_time(time: int) -> int:
            if time == _NONE:
                return NO_TIME
            sign, running_time = segment.to_running_time_full(Gst.Format.TIME, time)
            # The encoder may shift the PTS together with its segment. The running time stays the same.
            return sign * running_time + self._job["origin"]

        return Packet(source_time(buffer.pts), source_time(buffer.dts),
                      buffer.duration if buffer.duration != _NONE else 0,
                      not buffer.has_flags(Gst.BufferFlags.DELTA_UNIT), buffer.extract_dup(0, buffer.get_size()))


def render_segment(job: dict[str, Any], frames: FrameIndex, segment: Segment, tail: int, mode: str,
                   path: Path) -> tuple[dict[str, Any], list[str], SegmentRenderer]:
    """Renders a segment into the new file `path`.

    Returns the fields of the Result, the names of the decoders that verified the segment, and the renderer.
    """
    renderer = SegmentRenderer(job, frames, segment, tail, mode)
    writer = PacketWriter(path)
    times, first_is_key = [], True
    try:
        for packet in renderer.packets():
            if not times:
                first_is_key = packet.is_key
            times.append(packet.pts)
            writer.add(packet)
            report_progress(len(times))
        if not times:
            raise Failure("media", "The encoder returned nothing.")
        digest = writer.end()
    finally:
        writer.close()
    lost = lost_frames(frames.pts[segment.first:segment.end], renderer.wanted.fed)
    if len(lost) == len(segment):
        raise Failure("media", "No frame of the segment can be decoded.")
    left_out = set(lost)
    expected = [pts for pts in frames.pts[segment.first:segment.end] if pts not in left_out]
    fault = packet_fault(expected, times, first_is_key)
    if fault is not None:
        raise Failure("media", f"The segment is not what was asked for: {fault}.")
    decoded, opening, decoders = "", "", []
    renderer.gate.meter.verify()
    if job["verify"]:
        pictures = decoded_checksum(path, digest, renderer.caps)
        decoded, opening, decoders = pictures.whole, pictures.opening, pictures.decoders
        fault = times_fault("its decoder returned", pictures.times, expected)
        if fault is not None:
            raise Failure("media", f"The segment cannot be decoded as it was encoded: {fault}.")
    result = Result(segment.number, path.name, os.path.getsize(path), digest, renderer.caps, len(times),
                    renderer.gate.head, renderer.gate.tail, decoded, mode, reorder_depth(times), lost, opening)
    return asdict(result), decoders, renderer


def stable_caps(caps: Gst.Caps) -> str:
    """Caps without the headers of VP8 and VP9, which differ in each segment because they contain the date."""
    if caps.get_structure(0).get_name() in ("video/x-vp8", "video/x-vp9"):
        return re.sub(r", streamheader=\(buffer\)<[^>]*>", "", caps.to_string())
    return caps.to_string()
