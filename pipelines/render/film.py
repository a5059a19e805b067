"""From finished segments to the film: joints, joining and verification."""

import os
from array import array
from pathlib import Path
from typing import Any

from .checks import caps_fault, written_fault
from .frames import FrameIndex
from .packets import PacketReader
from .plan import Cuts
from .refusal import Refusal
from .study import ask
from .task import run_tool
from .workspace import Workspace


def write_film(workspace: Workspace, job: dict[str, Any], frames: FrameIndex, cuts: Cuts, output: Path) -> None:
    """Joins the segments, reads the file again, and renames it to `output` only if it is right."""
    results = workspace.manifest.results
    fault = caps_fault(results)
    if fault is not None:
        raise Refusal(fault)
    files = [str(workspace.path(results[number].file)) for number in range(len(cuts))]
    # Frames that could not be decoded are missing in the segments that were read without a seek.
    is_complete = all(results[number].frames == len(cuts[number]) for number in range(len(cuts)))
    pts = frames.pts if is_complete else _times(files)
    joined = workspace.folder / ("film" + output.suffix)
    code = str(workspace.code)
    answer = run_tool(code, "join", {
        "job": job, "index": str(workspace.index), "files": files, "output": str(joined),
        "depth": max(result.depth for result in results.values()), "pts": None if is_complete else list(pts)})
    if "failure" in answer:
        joined.unlink(missing_ok=True)
        if answer["failure"]["kind"] == "space":
            raise Refusal(f"The disk is full: {answer['failure']['text']} Free some space, and run the same command "
                          "with --resume.")
        raise Refusal(f"The segments cannot be joined: {answer['failure']['text']}")
    found = ask(code, "check", path=str(joined), muxer=job["muxer"])
    fault = written_fault(answer["result"], found, [time - job["origin"] for time in pts])
    if fault is not None:
        raise Refusal(f"The joined film {joined} is wrong: {fault}. The segments are kept.")
    _flush(joined)
    os.replace(joined, output)


def _times(files: list[str]) -> array:
    """PTS of the frames that the segments contain."""
    times = array("q")
    for file in files:
        with PacketReader(Path(file)) as reader:
            times.extend(packet.pts for packet in reader.packets())
    return array("q", sorted(times))


def _flush(path: Path) -> None:
    with open(path, "rb") as file:
        os.fsync(file.fileno())
