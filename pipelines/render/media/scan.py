"""Reads the streams of a source and the times of its frames. Decodes the video only if necessary."""

import shlex
from array import array
from pathlib import Path
from typing import Any

from gi.repository import Gst

from launch import quoted

from ..frames import FrameIndex, spread
from ..times import timestamp
from .failure import Failure
from .player import Player, discard, parse, reader_of, video_reader

_CLOCK_TIME_NONE = Gst.CLOCK_TIME_NONE
# Maximum number of pixels of a picture, 4 times the pixels of 8K. A decoder needs memory for several pictures.
_MOST_PIXELS = 1 << 27
# Maximum time that may be missing at the end of a stream because an edit list skips the delay of an audio encoder.
_MOST_MISSING = 120 * Gst.MSECOND


class _Stream:
    """One stream of the source."""

    def __init__(self, pad: Gst.Pad) -> None:
        self.name = pad.get_stream_id() or pad.get_name()
        self.caps = pad.get_current_caps() or pad.query_caps(None)
        self.kind = self.caps.get_structure(0).get_name() if self.caps.get_size() else ""
        self.pts = array("q")
        self.untimed = 0
        # Start, stop, base and time of each segment with buffers, and of the current segment.
        self.segments: list[tuple[int, int, int, int]] = []
        self._is_segment_empty = False
        self.tags = Gst.TagList.new_empty()

    def described(self) -> dict[str, Any]:
        """Name, caps, running times of the start and the end, and the PTS at the running time 0 ("origin").

        With at most one packet, the times of the start and the end are equal.
        """
        start, _, base, _ = self.segments[-1] if self.segments else (0, 0, 0, 0)
        first = min(self.pts, default=start)
        return {"stream": self.name, "caps": self.caps.to_string(), "begin": first - start + base,
                "end": self._end(start) - start + base, "origin": start - base}

    def _end(self, start: int) -> int:
        """PTS of the end of the last packet, assuming that its duration is the mean distance of the packets."""
        first, last = (min(self.pts), max(self.pts)) if self.pts else (start, start)
        return last + (last - first) // max(1, len(self.pts) - 1)

    def end_in_file(self) -> int:
        """Time at which the last packet ends. The caller compares it with the duration that the container states.

        The stated duration begins at the stream time 0, or in Matroska at the PTS 0.
        """
        start, _, _, time = self.segments[-1] if self.segments else (0, 0, 0, 0)
        return self._end(start) + max(0, time - start)

    def cut_short(self, duration: int) -> tuple[int, int] | None:
        """The read and the stated length of a stream that qtdemux has ended too early, or None.

        qtdemux of 1.22 ends a stream when its PTS reach the duration of the film. If an edit list skips the beginning,
        the PTS are larger than the times in the film.
        """
        start, stop, _, _ = self.segments[-1] if self.segments else (0, _CLOCK_TIME_NONE, 0, 0)
        end = self._end(start)
        # The value of `duration` is 0 if it is unknown.
        if stop == _CLOCK_TIME_NONE or not 0 < duration <= end < stop - _MOST_MISSING:
            return None
        return max(0, end - start), stop - start

    def on_buffer(self, buffer: Gst.Buffer) -> None:
        self._is_segment_empty = False
        if buffer.pts == _CLOCK_TIME_NONE:
            self.untimed += not buffer.has_flags(Gst.BufferFlags.HEADER)
            return
        _, stop, _, _ = self.segments[-1] if self.segments else (0, _CLOCK_TIME_NONE, 0, 0)
        if stop == _CLOCK_TIME_NONE or buffer.pts < stop:
            self.pts.append(buffer.pts)

    def on_event(self, event: Gst.Event) -> None:
        if event.type == Gst.EventType.CAPS:
            self.caps = event.parse_caps().copy()
            self.kind = self.caps.get_structure(0).get_name()
        elif event.type == Gst.EventType.SEGMENT:
            segment = event.parse_segment()
            if segment.format == Gst.Format.TIME:
                if self._is_segment_empty:
                    # If another stream starts earlier, the edit list begins with an empty segment. Omit that segment.
                    self.segments.pop()
                self.segments.append((segment.start, segment.stop, segment.base, segment.time))
                self._is_segment_empty = True
        elif event.type == Gst.EventType.TAG:
            self.tags.insert(event.parse_tag(), Gst.TagMergeMode.REPLACE)


class _Scan:
    def __init__(self, source: str, by_decoding: bool) -> None:
        self.pipeline = parse(video_reader(source) if by_decoding else
                              f"filesrc location={quoted(source)} ! parsebin name=reader")
        self.player = Player(self.pipeline, stall=20)
        self.streams: list[_Stream] = []
        # Duration that the container states; 0 if it states no duration.
        self.duration = 0
        reader = reader_of(self.pipeline, *(["audio/"] if by_decoding else []))
        reader.connect("pad-added", self._on_pad)

    def _on_pad(self, _reader: Gst.Element, pad: Gst.Pad) -> None:
        stream = _Stream(pad)
        self.streams.append(stream)

        def on_data(_pad: Gst.Pad, info: Gst.PadProbeInfo) -> Gst.PadProbeReturn:
            try:
                if info.type & Gst.PadProbeType.BUFFER:
                    self.player.beat()
                    stream.on_buffer(info.get_buffer())
                else:
                    stream.on_event(info.get_event())
            except Exception as error:
                self.player.fail_with(error)
            return Gst.PadProbeReturn.OK

        pad.add_probe(Gst.PadProbeType.BUFFER | Gst.PadProbeType.EVENT_DOWNSTREAM, on_data)
        discard(self.pipeline, pad)

    def run(self) -> None:
        try:
            self.player.start()
            self.player.run()
            self.duration = max(0, self.pipeline.query_duration(Gst.Format.TIME)[1])
        finally:
            self.player.stop()


def scan(source: str, index_path: str, by_decoding: bool = False) -> dict[str, Any]:
    """Writes the PTS of the frames to `index_path`. Returns the streams.

    With `by_decoding`, decodes the video to find the times, and returns only the video. Sources require this if their
    packets have no times, or do not contain one frame each.
    """
    run = _Scan(source, by_decoding)
    try:
        run.run()
    except Failure as failure:
        # The file is text, or it is truncated and therefore lacks the index at its end.
        if failure.is_of_stream and not run.streams:
            raise Failure("refused", f"GStreamer finds no video in {source} that it can read.") from failure
        raise
    videos = [stream for stream in run.streams if stream.kind.startswith(("video/", "image/"))]
    if not videos:
        found = ", ".join(sorted({stream.kind for stream in run.streams}))
        raise Failure("refused", f"GStreamer finds no video in {source} that it can read{found and f', only {found}'}.")
    video = videos[0]
    structure = video.caps.get_structure(0)
    width, height = structure.get_int("width")[1], structure.get_int("height")[1]
    if width * height > _MOST_PIXELS:
        raise Failure("refused", f"A picture of {source} has {width}x{height} pixels, more than a decoder can hold.")
    if len({base for _, _, base, _ in video.segments}) > 1:
        raise Failure("refused", f"The edit list of {source} has several parts with frames.{_remedy(source, run)}")
    _check_ends(source, run)
    if not by_decoding and (video.untimed or len(set(video.pts)) != len(video.pts)):
        # The second scan returns only the video.
        return {**_kept(run.streams, video), **scan(source, index_path, by_decoding=True)}
    if video.untimed:
        raise Failure("refused", f"The decoder gives {video.untimed} frames of {source} no time.{_remedy(source, run)}")
    if 2 * len(set(video.pts)) < len(video.pts):
        raise Failure("refused", f"The decoder gives most frames of {source} the time of another one. This makes a "
                                 "lossless copy in which each frame has its own time:\n"
                                 + _ffmpeg(source, run, "-c copy -c:v ffv1"))
    pts = spread(video.pts) if by_decoding else array("q", sorted(video.pts))
    changed = sum(time != right for time, right in zip(pts, video.pts)) if by_decoding else 0
    FrameIndex(pts).write(Path(index_path))
    # matroskademux begins its first segment at the first packet, and sends a second segment if a later packet has an
    # earlier time. The PTS are the times in the file, so the last segment is correct for all packets.
    start, _, base, time = video.segments[-1] if video.segments else (0, 0, 0, 0)
    # "seek_origin" converts a PTS to the stream time that a seek requires.
    answer = {"stream": video.name, "origin": start - base, "seek_origin": start - time, "by_decoding": by_decoding,
              "changed": changed, "stated": run.duration, "read": max(stream.end_in_file() for stream in run.streams)}
    return answer if by_decoding else {**answer, **_kept(run.streams, video)}


def _check_ends(source: str, run: _Scan) -> None:
    for stream in run.streams:
        kind = stream.kind.partition("/")[0]
        short = stream.cut_short(run.duration) if kind in ("video", "image", "audio") else None
        if short is not None:
            read, stated = map(timestamp, short)
            raise Failure("refused", (
                f"GStreamer reads only {read} of the {'audio' if kind == 'audio' else 'video'} of {source}, whose edit "
                f"list shows {stated}. This makes a copy that it reads completely, in which the pictures before the "
                "cut are visible too; with -c:v ffv1 -c:a flac instead of -c copy they are not:\n"
                + _ffmpeg(source, run, "-c copy")))


def _has_audio(run: _Scan) -> bool:
    return any(stream.kind.startswith("audio/") for stream in run.streams)


def _copy_of(source: str) -> Path:
    return Path(source).with_suffix(".copy.mkv")


def _ffmpeg(source: str, run: _Scan, codecs: str) -> str:
    maps = "-map 0:V" + (" -map 0:a" if _has_audio(run) else "")
    return f"ffmpeg -i {shlex.quote(source)} {maps} {codecs} {shlex.quote(str(_copy_of(source)))}"


def _remedy(source: str, run: _Scan) -> str:
    """A command for the user that converts the source to a file that can be rendered."""
    name = shlex.quote(quoted(source))
    copy = shlex.quote(quoted(str(_copy_of(source))))
    return (" This makes a lossless copy with one time for each frame, which can be rendered:\n"
            f"gst-launch-1.0 filesrc location={name} ! decodebin name=d ! queue ! videorate ! videoconvert ! "
            f"avenc_ffv1 ! matroskamux name=m ! filesink location={copy}"
            + (" d. ! queue ! audioconvert ! flacenc ! m." if _has_audio(run) else ""))


def _kept(streams: list[_Stream], video: _Stream) -> dict[str, Any]:
    """The encoded caps, the tags and the other streams, which a scan by decoding does not find."""
    others = [stream for stream in streams if stream is not video]
    pictures = set()
    for name in [video.tags.nth_tag_name(index) for index in range(video.tags.n_tags())]:
        if Gst.tag_get_type(name) == Gst.Sample.__gtype__:
            # `Gst.TagList.new_from_string` cannot read the text form of a picture.
            video.tags.remove_tag(name)
            pictures.add("attachment" if name == Gst.TAG_ATTACHMENT else "cover picture")
    return {
        "caps": video.caps.to_string(), "tags": video.tags.to_string(),
        "audio": [stream.described() for stream in others if stream.kind.startswith("audio/")],
        "pictures": sorted(pictures),
        "others": [stream.kind for stream in others if not stream.kind.startswith("audio/")],
    }
