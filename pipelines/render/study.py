"""Examines source, filter and encoder before the film is rendered. The result contains the job."""

import tempfile
import time
import uuid
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from . import fragments
from .checks import Result, short_track, written_fault
from .files import write_file
from .frames import FrameIndex
from .options import Options
from .plan import Cuts, Speed, cut, cut_evenly, cut_without_seek
from .refusal import Refusal
from .stamp import stamp_of
from .task import fingerprint
from .times import SECOND, timestamp
from .tool import packed, run_tool

LONGEST_SEGMENT = 30 * SECOND
# Maximum difference between the duration that a container states and the end of its packets.
_MOST_MISSING = SECOND // 2
# Name of a file with a few rendered frames in the folder of a film. All machines must decode these to equal pictures.
SAMPLE = "sample"
_REHEARSED = 10
# Length of the second rehearsal if its speed selects the division: about 0.5 s of rendering, and at most 120 frames.
_MEASURED_SECONDS, _MOST_MEASURED = 0.5, 120


@dataclass
class Study:
    """Properties of a film, known before it is rendered."""

    # Settings as JSON values, which the workers receive and the manifest stores.
    job: dict[str, Any]
    frames: FrameIndex
    fingerprint: str
    # Time of modification of the source on this machine. If the time differs later, the source has changed.
    stamp: int
    caps: str
    # Checksums of test pictures of the filter, of the first frames of the source, and of the decoded sample (empty if
    # segments are not decoded). `pictures` also has the checksum and the caps of the sample file.
    pictures: dict[str, Any]
    # Estimated size of the rendered film in bytes.
    size: int
    notes: list[str]
    # Speed, and minimum number of frames for which segments are better than one pass. Both are None if not measured.
    speed: Speed | None = None
    pays_from: int | None = None
    # Content of the file SAMPLE; empty if an earlier run has written the file.
    sample: bytes = b""

    def write_sample(self, folder: Path) -> None:
        """Writes the file SAMPLE, with which this run and later runs examine machines."""
        write_file(folder / SAMPLE, self.sample)

    @property
    def frame_bytes(self) -> int:
        """Size of a picture in bytes, assuming 12 bits per pixel."""
        return self.job["width"] * self.job["height"] * 3 // 2

    @property
    def cuts(self) -> Cuts:
        return Cuts(len(self.frames), self.job["step"])


def study(options: Options, slots_for: Callable[[int], int]) -> Study:
    """Examines a film. Raises Refusal if it cannot be rendered.

    `slots_for` returns the number of segments that can be rendered at the same time with a given frame size in bytes.
    """
    with tempfile.TemporaryDirectory(prefix="batch-") as folder:
        return _Examiner(options, Path(folder)).examine(slots_for)


def ask(task: str, **arguments: Any) -> dict[str, Any]:
    """Runs a task and returns its result. Raises Refusal if the task fails."""
    answer = run_tool(packed(), task, arguments)
    if "failure" in answer:
        raise Refusal(answer["failure"]["text"])
    return answer["result"]


class _Examiner:
    def __init__(self, options: Options, folder: Path) -> None:
        self._options, self._folder = options, folder
        self._index = str(folder / "index")
        self._notes: list[str] = []
        self._sample: Result | None = None
        self._bits = 0
        self._speed: Speed | None = None
        self._pays_from: int | None = None

    def examine(self, slots_for: Callable[[int], int]) -> Study:
        options = self._options
        stamp, mark = stamp_of(options.source), fingerprint(str(options.source))
        elements = ask("inspect", filter=options.filter, encoder=options.encoder, muxer=options.muxer)
        refusal = fragments.refusal(elements["filters"], options.lead_in > 0)
        if refusal is not None:
            raise Refusal(refusal)
        if elements["note"]:
            self._notes.append(elements["note"])
        streams, seen = self._read_source()
        frames = FrameIndex.read(Path(self._index))
        job = {
            "id": uuid.uuid4().hex, "index": frames.mark, "by_decoding": streams["by_decoding"],
            "reading": seen["reading"],
            "source": str(options.source), "stream": streams["stream"], "origin": streams["origin"],
            "seek_origin": streams["seek_origin"],
            "tags": streams["tags"], "audio": streams["audio"] if options.has_audio else [],
            "all_audio": streams["audio"], "sound": options.sound,
            "framerate": seen["framerate"], "filter": options.filter, "encoder": options.encoder,
            "chroma": fragments.chroma(options.encoder, options.filter, seen["width"], seen["height"]),
            "muxer": options.muxer, "lead_in": options.lead_in, "verify": options.verify != "packets",
            # `_rehearse` adds the versions of the decoders of the rendered video.
            "versions": {**elements["versions"], **seen["versions"]},
            "frame_duration": frames.frame_duration, "step": len(frames),
            "mode": "skip" if streams["changed"] else "seek", "is_counted": bool(streams["changed"]),
            "width": seen["width"], "height": seen["height"],
        }
        self._check_lengths(job, frames)
        if job["sound"] is not None:
            ask("sound", job=job)
        pictures = ask("prove", job=job, caps=seen["caps"])
        size = self._rehearse(job, frames)
        if self._bits < seen["bits"]:
            self._notes.append(f"The source has {seen['bits']} bits for each colour component; filter and encoder keep "
                               f"{self._bits}.")
        if len(frames) == 1:
            self._notes.append("The source is a single picture; the film is this one frame.")
        pictures["encoded"] = self._sample.decoded
        pictures["sample"] = {"digest": self._sample.digest, "caps": self._sample.caps}
        self._divide(job, frames, slots_for(seen["width"] * seen["height"] * 3 // 2), elements["key_interval"])
        self._mention_streams(streams)
        return Study(job, frames, mark, stamp, seen["caps"], pictures, size, self._notes, self._speed, self._pays_from,
                     (self._folder / self._sample.file).read_bytes())

    def _read_source(self) -> tuple[dict[str, Any], dict[str, Any]]:
        """Returns the streams of the source and the format of its pictures."""
        source = str(self._options.source)
        streams = ask("scan", source=source, index_path=self._index)
        seen = ask("look", source=source, stream=streams["stream"], index=self._index)
        if not seen["is_indexed"] and not streams["by_decoding"]:
            self._notes.append("The packets of the video are not one frame each, so the whole film was decoded to "
                               "count its frames.")
            streams = {**streams, **ask("scan", source=source, index_path=self._index, by_decoding=True),
                       "stream": streams["stream"]}
        if streams["stated"] - streams["read"] > _MOST_MISSING:
            stated, read = timestamp(streams["stated"]), timestamp(streams["read"])
            self._notes.append(f"The container states a duration of {stated}, but what can be read ends at {read}; the "
                               "file may be truncated.")
        if streams["changed"]:
            self._notes.append(f"The decoder gives {streams['changed']} frames the time of another one. They are moved "
                               "by some milliseconds, and each segment is decoded from the beginning of the film.")
        return streams, seen

    def _rehearse(self, job: dict[str, Any], frames: FrameIndex) -> int:
        """Renders a few frames at the start and in the middle. Returns the estimated size of the film in bytes."""
        sizes, count = [], _REHEARSED
        for first in sorted({0, max(0, len(frames) // 2 - 1)}):
            began = time.monotonic()
            answer = self._rehearse_at(first, job, job["mode"], count)
            is_inexact = "failure" in answer and answer["failure"]["kind"] == "inexact"
            if is_inexact:
                job["mode"] = "skip"
                self._notes.append(
                    f"The film cannot be sought exactly at {timestamp(frames.pts[first])}: each segment is decoded "
                    f"from the beginning of the film. {answer['failure']['text']}")
                if first > 0:
                    continue
                answer = self._rehearse_at(first, job, "skip", count)
            if "failure" in answer:
                raise Refusal(answer["failure"]["text"])
            result = Result(**answer["result"]["segment"])
            job["versions"].update(answer["result"]["versions"])
            # Keep the sample from the middle, because the first frames of a film are often black.
            self._sample, self._bits = result, answer["result"]["bits"]
            sizes.append(result.size / result.frames)
            cost = answer["result"]["cost"]
            self._speed = Speed(cost["seconds"] / result.frames, cost["idle"], cost["verification"],
                                time.monotonic() - began - cost["seconds"])
            if self._options.is_division_chosen:
                count = max(_REHEARSED, min(_MOST_MEASURED, round(_MEASURED_SECONDS / self._speed.frame)))
            if first == 0:
                self._try_muxer(job, result)
        return round(sum(sizes) / len(sizes) * len(frames))

    def _rehearse_at(self, first: int, job: dict[str, Any], mode: str, count: int) -> dict[str, Any]:
        return run_tool(packed(), "rehearse", {
            "job": job, "index": self._index, "first": first, "count": count, "mode": mode,
            "path": str(self._folder / f"{mode}-{first}")})

    def _try_muxer(self, job: dict[str, Any], result: Result) -> None:
        """Joins the first frames with their audio, and reads the file again."""
        path = self._folder / f"joined{self._options.output.suffix}"
        index = FrameIndex.read(Path(self._index))
        begin = FrameIndex(index.pts[:_REHEARSED]).without(result.lost)
        begin.write(self._folder / "begin")
        times = [pts - job["origin"] for pts in begin.pts]
        until, audio = times[-1] + job["frame_duration"], job["audio"]
        tracks = [(times[0], until), *((stream["begin"], min(stream["end"], until)) for stream in audio)]
        if job["muxer"] in fragments.EDIT_LIST_MUXERS and short_track(tracks, part=4) is not None:
            # A track that is too short in this test film may be long enough in the whole film, so omit the audio here.
            if job["sound"] is None:
                ask("audio", streams=audio, muxer=job["muxer"])
            audio = []
        sent = ask("join", job={**job, "index": begin.mark, "audio": audio}, index=str(self._folder / "begin"),
                   files={str(self._folder / result.file): result.digest}, caps=result.caps,
                   depth=result.depth, lost=[], output=str(path), until=until)
        fault = written_fault(sent, ask("check", path=str(path), muxer=job["muxer"]), times)
        if fault is not None:
            remedy = " An output that ends in .mkv may store it."
            raise Refusal(f"{job['muxer']} does not store the film as it is: of its first {result.frames} frames, "
                          f"{fault}.{'' if job['muxer'] == 'matroskamux' else remedy}")

    @staticmethod
    def _check_lengths(job: dict[str, Any], frames: FrameIndex) -> None:
        if job["muxer"] not in fragments.EDIT_LIST_MUXERS:
            return
        begin = frames.pts[0] - job["origin"]
        tracks = [(begin, begin + frames.duration), *((stream["begin"], stream["end"]) for stream in job["audio"])]
        short = short_track(tracks)
        if short is not None:
            length = timestamp(tracks[short][1] - tracks[short][0])
            raise Refusal(f"The {'audio' if short else 'video'} lasts {length}. GStreamer does not play a stream of an "
                          "MP4 or MOV that is shorter than a fifth of the film. An output that ends in .mkv can hold "
                          "it; --no-audio leaves the audio out.")

    def _divide(self, job: dict[str, Any], frames: FrameIndex, slots: int, key_interval: int) -> None:
        options = self._options
        if options.is_local:
            self._pays_from = self._speed.pays_from(slots)
        if options.segment is not None:
            cuts = cut(frames, options.segment, key_interval)
        elif options.workers == 1 or options.is_division_chosen and len(frames) < self._pays_from:
            cuts = Cuts(len(frames), len(frames))
        elif job["mode"] == "skip":
            cuts = cut_without_seek(frames, slots, key_interval)
        else:
            cuts = cut_evenly(frames, slots, LONGEST_SEGMENT, key_interval)
        job["step"] = cuts.step

    def _mention_streams(self, streams: dict[str, Any]) -> None:
        if streams["audio"] and not self._options.has_audio:
            self._notes.append("The audio is left out.")
        if not streams["audio"] and self._options.sound is not None:
            self._notes.append("The source has no audio that could be rendered.")
        for kind in streams["others"]:
            self._notes.append(f"A stream of {kind} is left out; only video and audio are kept.")
        for picture in streams["pictures"]:
            self._notes.append(f"The {picture} is left out.")
