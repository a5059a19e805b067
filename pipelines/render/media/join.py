"""Joins the segments into the film. Copies the encoded video unchanged, and copies or renders the audio of the source."""

import hashlib
from array import array
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from gi.repository import Gst

from launch import quoted

from ..decodetimes import decode_time
from ..files import open_file
from ..fragments import EDIT_LIST_MUXERS, sound_line
from ..frames import FrameIndex
from ..packets import NO_TIME, DamagedFile, Packet, PacketReader
from .decode import buffer_of, feed_in_background
from .failure import Failure
from .feed import copy_of
from .muxers import audio_parser
from .player import Player, parse
from .report import report_progress
from .result import is_header
from .sound import add_renderer

# Offset that is added to all times of the video, because a buffer cannot have a negative DTS.
_SHIFT = 1000 * 3600 * Gst.SECOND
# Assumed number of samples in the first audio packet, if the packet has no duration.
_AUDIO_SAMPLES = 1024


class _AudioCopy:
    """Copies one audio stream from the source to the muxer, or renders it with the launch fragment `sound`."""

    def __init__(self, stream: dict[str, str], sound: str | None, pipeline: Gst.Pipeline, muxer: Gst.Element,
                 player: Player, until: int | None) -> None:
        self.stream = stream["stream"]
        self._hash, self._player, self._until = hashlib.sha256(), player, until
        self.times = array("q")
        self.has_ended = False
        # Demuxers of Matroska and FLV set no durations. Without a duration, these muxers write 0 for the last packet.
        self._needs_durations = muxer.get_factory().get_name() in EDIT_LIST_MUXERS
        structure = Gst.Caps.from_string(stream["caps"]).get_structure(0)
        rate = structure.get_int("rate")[1] or 48000
        self._is_raw = sound is None and structure.get_name() == "audio/x-raw"
        self._first_duration = _AUDIO_SAMPLES * Gst.SECOND // rate
        if self._needs_durations and self._is_raw:
            # Times of the edit list have this unit. If the unit is one sample, the edit list ends exactly at a sample.
            muxer.set_property("movie-timescale", rate)
        self._is_pushing = False
        parser = audio_parser(stream["caps"], muxer.get_factory()) if sound is None else None
        self.queue = Gst.ElementFactory.make("queue")
        self.queue.set_property("max-size-buffers", 0)
        self.queue.set_property("max-size-time", 0)
        self.queue.set_property("max-size-bytes", 200_000_000)
        last = self.queue
        pipeline.add(self.queue)
        if parser is not None:
            last = Gst.ElementFactory.make(parser)
            pipeline.add(last)
            self.queue.link(last)
        if sound is not None:
            decoder, last = add_renderer(pipeline, sound)
            self.queue.link(decoder)
        self._pad = muxer.request_pad_simple("audio_%u")
        self._pad.add_probe(Gst.PadProbeType.BUFFER, self._on_buffer)
        self._pad.add_probe(Gst.PadProbeType.EVENT_DOWNSTREAM, self._on_event)
        if last.get_static_pad("src").link(self._pad) != Gst.PadLinkReturn.OK:
            what = "audio of the encoder" if sound is not None else f"audio, {stream['caps']}"
            raise Failure("refused", f"{muxer.get_factory().get_name()} does not accept the {what}; "
                                     "--no-audio leaves it out.")

    @staticmethod
    def _on_event(_pad: Gst.Pad, info: Gst.PadProbeInfo) -> Gst.PadProbeReturn:
        """Omits gaps, such as that before audio that begins later: matroskamux 1.26 stores an empty packet for it."""
        is_gap = info.get_event().type == Gst.EventType.GAP
        return Gst.PadProbeReturn.DROP if is_gap else Gst.PadProbeReturn.OK

    def _on_buffer(self, pad: Gst.Pad, info: Gst.PadProbeInfo) -> Gst.PadProbeReturn:
        self._player.beat()
        buffer = info.get_buffer()
        if self._is_pushing or is_header(buffer):
            return Gst.PadProbeReturn.OK
        segment = pad.get_sticky_event(Gst.EventType.SEGMENT, 0).parse_segment()
        sign, time = segment.to_running_time_full(Gst.Format.TIME, buffer.pts)
        # Packets with a negative running time are skipped by the edit list of the source, such as an encoder delay.
        if sign < 0:
            return Gst.PadProbeReturn.DROP
        if self._until is not None and time >= self._until and self.times:
            # After the EOS, the muxer returns GST_FLOW_EOS for later buffers, so the demuxer stops reading the source.
            self.has_ended = True
            pad.send_event(Gst.Event.new_eos())
            return Gst.PadProbeReturn.DROP
        self._hash.update(buffer.extract_dup(0, buffer.get_size()))
        self.times.append(time)
        if self._needs_durations and buffer.duration == Gst.CLOCK_TIME_NONE:
            return self._push_with_duration(pad, buffer)
        return Gst.PadProbeReturn.OK

    def _push_with_duration(self, pad: Gst.Pad, buffer: Gst.Buffer) -> Gst.PadProbeReturn:
        """Pushes a copy whose duration is the mean distance of the packets so far. Ignores the flow return."""
        distances = len(self.times) - 1
        copy = copy_of(buffer)
        copy.pts, copy.dts = buffer.pts, buffer.dts
        copy.duration = (self.times[-1] - self.times[0]) // distances if distances else self._first_duration
        self._is_pushing = True
        pad.chain(copy)
        self._is_pushing = False
        return Gst.PadProbeReturn.DROP

    def summary(self) -> dict[str, Any]:
        return {"packets": len(self.times), "digest": self._hash.hexdigest(), "times": list(self.times),
                "is_raw": self._is_raw}


class _Join:
    def __init__(self, job: dict[str, Any], depth: int, frames: array, output: str, until: int | None) -> None:
        self._job, self._depth, self._frames = job, depth, frames
        # filesink receives an open file, because it would follow a link that another user may put at this path.
        self._film = open_file(Path(output), "xb")
        self.pipeline = parse(f"appsrc name=video format=time block=true max-bytes=32000000 handle-segment-change=true"
                              f" ! queue name=encoded  {job['muxer']} name=muxer"
                              f" ! filesink location=/proc/self/fd/{self._film.fileno()}")
        self.player = Player(self.pipeline)
        muxer = self.pipeline.get_by_name("muxer")
        # A link in the launch line would request a pad of the first pad template, which may be the one for audio.
        self.pipeline.get_by_name("encoded").get_static_pad("src").link(muxer.request_pad_simple("video_%u"))
        self._set_tags(muxer, job["tags"])
        # A job of an earlier version copies the audio.
        sound = job.get("sound")
        self.audio = [_AudioCopy(stream, sound and sound_line(sound, job, stream), self.pipeline, muxer, self.player,
                                 until) for stream in job["audio"]]
        if self.audio:
            self._add_source(job["source"])
        self.count = 0
        self.digest = hashlib.sha256()

    @staticmethod
    def _set_tags(muxer: Gst.Element, tags: str) -> None:
        """Copies tags of the source such as title and language. Omits codec, bitrate and orientation."""
        kept = Gst.TagList.new_from_string(tags) if tags else None
        if kept is None:
            return
        for index in reversed(range(kept.n_tags())):
            if kept.nth_tag_name(index) in ("video-codec", "codec", "bitrate", "minimum-bitrate", "maximum-bitrate",
                                            "nominal-bitrate", "encoder", "container-format", "audio-codec",
                                            "image-orientation"):
                kept.remove_tag(kept.nth_tag_name(index))
        muxer.merge_tags(kept, Gst.TagMergeMode.REPLACE)

    def _add_source(self, source: str) -> None:
        reader = Gst.parse_bin_from_description(f"filesrc location={quoted(source)} ! parsebin name=reader", False)
        self.pipeline.add(reader)
        copies = {copy.stream: copy for copy in self.audio}

        def on_pad(_reader: Gst.Element, pad: Gst.Pad) -> None:
            copy = copies.get(pad.get_stream_id())
            if copy is not None:
                ghost = Gst.GhostPad.new(None, pad)
                ghost.set_active(True)
                reader.add_pad(ghost)
                ghost.link(copy.queue.get_static_pad("sink"))
            else:
                pad.add_probe(Gst.PadProbeType.BUFFER, self._on_other_buffer)

        reader.get_by_name("reader").connect("pad-added", on_pad)

    def _on_other_buffer(self, _pad: Gst.Pad, _info: Gst.PadProbeInfo) -> Gst.PadProbeReturn:
        """Drops buffers of other streams while audio is copied. A demuxer fails if no pad accepts its first packets."""
        # After the last audio packet, pass the buffers to the unlinked pads, so that the demuxer stops.
        is_needed = any(not copy.has_ended for copy in self.audio)
        return Gst.PadProbeReturn.DROP if is_needed else Gst.PadProbeReturn.OK

    def samples(self, files: dict[str, str], caps: Gst.Caps) -> Iterator[Gst.Sample]:
        """All packets of the film, with continuous decode times. Running times do not include the offset `_SHIFT`."""
        segment = Gst.Segment()
        segment.init(Gst.Format.TIME)
        segment.start = segment.position = _SHIFT
        origin = self._job["origin"]
        for path, digest in files.items():
            with PacketReader(Path(path)) as reader:
                for packet in reader.packets():
                    yield Gst.Sample.new(self._buffer(packet, _SHIFT - origin), caps, segment, None)
                    self.player.beat()
                    report_progress(self.count)
                if reader.digest != digest:
                    raise DamagedFile(f"{path} is not the file that was rendered")

    def _buffer(self, packet: Packet, shift: int) -> Gst.Buffer:
        buffer = buffer_of(packet, shift)
        if packet.dts != NO_TIME or self._depth:
            buffer.dts = shift + decode_time(self.count, self._frames, self._depth, self._job["frame_duration"])
        self.count += 1
        self.digest.update(packet.data)
        if self.count == len(self._frames) and self._job["muxer"] in EDIT_LIST_MUXERS:
            # With a variable frame rate, the decode times end too early. Extend the last packet to the end of the film.
            step, last = self._job["frame_duration"], self._frames[-1] - self._frames[-1 - self._depth]
            buffer.duration = max(buffer.duration, last + step - self._depth * step)
        return buffer

    def play(self, files: dict[str, str], caps: str) -> None:
        try:
            self.player.start()
            feed_in_background(self.pipeline.get_by_name("video"), self.samples(files, Gst.Caps.from_string(caps)),
                               self.player)
            self.player.run()
        finally:
            self.player.stop()


def join(job: dict[str, Any], index: str, files: dict[str, str], caps: str, depth: int, lost: list[int], output: str,
         until: int | None = None) -> dict[str, Any]:
    """Writes the film into the new file `output`. Returns counts, times and checksums of the packets of the muxer.

    `files` are the segments in order, with their checksums. All segments have the same `caps`. `lost` are the PTS of
    frames that could not be decoded. Drops audio at or after the running time `until`, except the first packet.
    """
    frames = FrameIndex.read(Path(index), job["index"]).without(lost).pts
    run = _Join(job, depth, frames, output, until)
    run.play(files, caps)
    audio = [copy.summary() for copy in run.audio]
    begin = min(times[0] for times in ([frames[0] - job["origin"]], *(copy["times"] for copy in audio)) if times)
    return {"frames": run.count, "digest": run.digest.hexdigest(), "audio": audio,
            "begin": begin if job["muxer"] in EDIT_LIST_MUXERS else 0}
