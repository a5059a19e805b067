"""From finished segments to the film: joints, joining and verification."""

import json
import os
from pathlib import Path

from . import task
from .checks import OPENING, caps_fault, written_fault
from .cluster import Connection
from .frames import FrameIndex
from .options import Options
from .refusal import Refusal
from .schedule import Schedule
from .study import Study, ask
from .task import run_tool
from .times import timestamp
from .workspace import Workspace


def write_film(connection: Connection, workspace: Workspace, film: Study, output: Path, options: Options) -> int:
    """Joins the segments, reads the file again, and renames it to `output` only if it is right.

    Returns how many frames of the source are missing, because they could not be decoded.
    """
    results, job, frames, cuts = workspace.manifest.results, film.job, film.frames, film.cuts
    fault = caps_fault(results)
    if fault is not None:
        raise Refusal(fault)
    files = {str(workspace.path(results[number].file)): results[number].digest for number in range(len(cuts))}
    lost = [pts for number in range(len(cuts)) for pts in results[number].lost]
    joined = workspace.folder / ("film" + output.suffix)
    code = str(workspace.code)
    answer = run_tool(code, "join", {
        "job": job, "index": str(workspace.index), "files": files, "output": str(joined),
        "depth": max(result.depth for result in results.values()), "lost": lost})
    if "failure" in answer:
        joined.unlink(missing_ok=True)
        if answer["failure"]["kind"] == "space":
            raise Refusal(f"The disk is full: {answer['failure']['text']} Free some space, and run the same command "
                          "with --resume.")
        raise Refusal(f"The segments cannot be joined: {answer['failure']['text']}")
    found = ask(code, "check", path=str(joined), muxer=job["muxer"])
    times = [time - job["origin"] for time in frames.without(lost).pts]
    fault = written_fault(answer["result"], found, times)
    if fault is not None:
        raise Refusal(f"The joined film {joined} is wrong: {fault}. The segments are kept.")
    _flush(joined)
    if job["verify"]:
        fault = picture_fault(connection, workspace, film, joined, options.verify == "film")
        if fault is not None:
            raise Refusal(f"The joined film {joined} is wrong: {fault}. The segments are kept. If decoders of two "
                          "machines differ, --resume --verify packets omits this comparison.")
    if output.exists() and not options.overwrite:
        raise Refusal(f"{output} was made by something else meanwhile; --resume --overwrite replaces it.")
    os.replace(joined, output)
    return len(lost)


def picture_fault(connection: Connection, workspace: Workspace, film: Study, path: Path, is_whole: bool) -> str | None:
    """Compares the pictures of the joined film with those that the workers decoded of its segments.

    Its packets are already known to be those of the segments. A decoder may still be in another state at the joints, or
    have received other headers, so that the first pictures of each segment suffice; `is_whole` decodes all.
    """
    results, count = workspace.manifest.results, len(connection.workers()) or 1
    parts = []
    before = 0
    for number, segment in enumerate(film.cuts):
        times = FrameIndex(film.frames.pts[segment.first:segment.end]).without(results[number].lost).pts
        parts.append({"number": number, "first": times[0] - film.job["origin"], "before": before,
                      "count": len(times) if is_whole else min(len(times), OPENING)})
        before = times[-1] - film.job["origin"]
    shares = [parts[first::count] for first in range(min(count, len(parts)))]
    spec = workspace.folder / "watch"
    spec.write_text(json.dumps({"code": str(workspace.code), "path": str(path), "shares": shares,
                                "processors": connection.processors}), encoding="utf-8")
    found: dict[str, str] = {}
    schedule = Schedule(connection, task.watch_film, str(spec), lambda _, answer: found.update(answer["result"]),
                        lambda _number, _text: None, lambda: None)
    schedule.run(range(len(shares)), "seek")
    for number in sorted(schedule.attempts.given_up):
        return schedule.attempts.text(number)
    for part in parts:
        result = results[part["number"]]
        expected = result.opening if part["count"] <= OPENING else result.decoded
        if found[str(result.number)] != expected:
            return f"its pictures at {timestamp(part['first'])} are not those of segment {result.number}"
    return None


def _flush(path: Path) -> None:
    with open(path, "rb") as file:
        os.fsync(file.fileno())
