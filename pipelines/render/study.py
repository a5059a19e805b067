"""Examines source, filter and encoder before anything is rendered; the result is the job."""

import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from . import fragments
from .frames import FrameIndex
from .options import Options
from .plan import Cuts, cut, cut_without_seek, default_length
from .refusal import Refusal
from .task import fingerprint, run_tool
from .times import SECOND, timestamp

LONGEST_SEGMENT = 30 * SECOND
_REHEARSED = 10


@dataclass
class Study:
    """What is known about a film before it is rendered."""

    # What the workers receive, and what the manifest stores; values of JSON.
    job: dict[str, Any]
    frames: FrameIndex
    fingerprint: str
    caps: str
    pictures: list[int]
    # Bytes of the rendered film, estimated.
    size: int
    notes: list[str]

    @property
    def frame_bytes(self) -> int:
        """Bytes of a picture with 12 bits per pixel."""
        return self.job["width"] * self.job["height"] * 3 // 2

    @property
    def cuts(self) -> Cuts:
        return Cuts(len(self.frames), self.job["step"])


def study(options: Options, code: Path, slots_for: Callable[[int], int]) -> Study:
    """Raises Refusal if the film cannot be rendered. `slots_for` is how many segments are rendered at a time, by the
    size of a frame in bytes.
    """
    with tempfile.TemporaryDirectory(prefix="batch-") as folder:
        return _Examiner(options, str(code), Path(folder)).examine(slots_for)


def ask(code: str, task: str, **arguments: Any) -> dict[str, Any]:
    """The result of a task; its failure as a Refusal."""
    answer = run_tool(code, task, arguments)
    if "failure" in answer:
        raise Refusal(answer["failure"]["text"])
    return answer["result"]


class _Examiner:
    def __init__(self, options: Options, code: str, folder: Path) -> None:
        self._options, self._code, self._folder = options, code, folder
        self._index = str(folder / "index")
        self._notes: list[str] = []

    def examine(self, slots_for: Callable[[int], int]) -> Study:
        options = self._options
        elements = ask(self._code, "inspect", filter=options.filter, encoder=options.encoder, muxer=options.muxer)
        refusal = fragments.refusal(elements["filters"], options.lead_in > 0)
        if refusal is not None:
            raise Refusal(refusal)
        if elements["note"]:
            self._notes.append(elements["note"])
        streams, seen = self._read_source()
        pictures = ask(self._code, "prove", filter=options.filter, encoder=options.encoder, caps=seen["caps"],
                       lead_in=options.lead_in, expected=elements["versions"])
        frames = FrameIndex.read(Path(self._index))
        job = {
            "source": str(options.source), "stream": streams["stream"], "origin": streams["origin"],
            "seek_origin": streams["seek_origin"],
            "tags": streams["tags"], "audio": streams["audio"] if options.has_audio else [],
            "framerate": seen["framerate"], "filter": options.filter, "encoder": options.encoder,
            "muxer": options.muxer, "lead_in": options.lead_in, "verify": options.verify == "decode",
            "versions": elements["versions"], "frame_duration": frames.frame_duration, "step": len(frames),
            "mode": "seek", "width": seen["width"], "height": seen["height"],
        }
        size = self._rehearse(job, frames)
        self._divide(job, frames, slots_for(seen["width"] * seen["height"] * 3 // 2), elements["key_interval"])
        self._mention_streams(streams)
        return Study(job, frames, fingerprint(str(options.source)), seen["caps"], pictures, size, self._notes)

    def _read_source(self) -> tuple[dict[str, Any], dict[str, Any]]:
        """Streams of the source, and the format of its pictures."""
        source = str(self._options.source)
        streams = ask(self._code, "scan", source=source, index_path=self._index)
        seen = ask(self._code, "look", source=source, stream=streams["stream"], index=self._index)
        if not seen["is_indexed"] and not streams["by_decoding"]:
            self._notes.append("The packets of the video are not one frame each, so the whole film was decoded to "
                               "count its frames.")
            streams = {**streams, **_video(ask(self._code, "scan", source=source, index_path=self._index,
                                               by_decoding=True))}
        return streams, seen

    def _rehearse(self, job: dict[str, Any], frames: FrameIndex) -> int:
        """Renders a few frames at the beginning and in the middle; returns the estimated bytes of the film."""
        sizes = []
        for part, first in enumerate(sorted({0, max(0, len(frames) // 2 - 1)})):
            answer = run_tool(self._code, "rehearse", {
                "job": job, "index": self._index, "first": first, "count": _REHEARSED,
                "path": str(self._folder / f"part-{part}")})
            if "result" in answer:
                sizes.append(answer["result"]["size"] / answer["result"]["frames"])
            elif answer["failure"]["kind"] == "inexact":
                job["mode"] = "skip"
                self._notes.append(
                    f"The film cannot be sought exactly at {timestamp(frames.pts[first])}: each segment is decoded "
                    f"from the beginning of the film. {answer['failure']['text']}")
            else:
                raise Refusal(answer["failure"]["text"])
        return round(sum(sizes) / max(1, len(sizes)) * len(frames))

    def _divide(self, job: dict[str, Any], frames: FrameIndex, slots: int, key_interval: int) -> None:
        length = self._options.segment
        if job["mode"] == "skip" and length is None:
            cuts = cut_without_seek(frames, slots, key_interval)
        else:
            cuts = cut(frames, length or default_length(frames.duration, slots, LONGEST_SEGMENT), key_interval)
        job["step"] = cuts.step

    def _mention_streams(self, streams: dict[str, Any]) -> None:
        if streams["audio"] and not self._options.has_audio:
            self._notes.append("The audio is left out.")
        for kind in streams["others"]:
            self._notes.append(f"A stream of {kind} is left out; only video and audio are kept.")


def _video(streams: dict[str, Any]) -> dict[str, Any]:
    return {key: streams[key] for key in ("origin", "seek_origin", "by_decoding")}
