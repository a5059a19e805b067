"""Joins the finished segments into the film, and verifies the film."""

import uuid
from pathlib import Path

from output import publish

from .checks import caps_fault, written_fault
from .cluster import Connection
from .files import paths_in, remove_file
from .options import Options
from .refusal import Refusal
from .screen import Screen
from .stamp import check_source
from .study import Study, ask
from .tool import packed, run_tool
from .verification import Verification
from .workspace import FILM, Workspace


def write_film(connection: Connection, workspace: Workspace, film: Study, output: Path, options: Options,
               screen: Screen) -> int:
    """Joins the segments and verifies the joined file. Renames the file to `output` only if the verification succeeds.

    Returns the number of source frames that could not be decoded. The film does not contain these frames.
    """
    results, job, frames, cuts = workspace.manifest.results, film.job, film.frames, film.cuts
    stamp = None if options.ignore_time else film.stamp
    check_source(job["source"], film.fingerprint, stamp)
    fault = caps_fault(results)
    if fault is not None:
        raise Refusal(fault)
    files = {str(workspace.path(results[number].file)): results[number].digest for number in range(len(cuts))}
    lost = [pts for number in range(len(cuts)) for pts in results[number].lost]
    for earlier in paths_in(workspace.folder):
        if FILM.fullmatch(earlier.name):
            remove_file(earlier)
    # The name is random, so that no other user can put a link at this path before the film is written.
    joined = workspace.folder / f"film-{uuid.uuid4().hex}{output.suffix}"
    answer = run_tool(packed(), "join", {
        "job": job, "index": str(workspace.index), "files": files, "output": str(joined),
        "caps": results[0].caps, "depth": max(result.depth for result in results.values()), "lost": lost})
    if "failure" in answer:
        remove_file(joined)
        if answer["failure"]["kind"] == "space":
            raise Refusal(f"The disk is full: {answer['failure']['text']} Free some space, and run the same command "
                          "with --resume.")
        raise Refusal(f"The segments cannot be joined: {answer['failure']['text']}")
    found = ask("check", path=str(joined), muxer=job["muxer"])
    times = [time - job["origin"] for time in frames.without(lost).pts]
    fault = written_fault(answer["result"], found, times)
    if fault is not None:
        raise Refusal(f"The joined film {joined} is wrong: {fault}. The segments are kept.")
    if job["verify"]:
        shown = [time - found["origin"] for time in sorted(found["video"][0]["times"])]
        fault = Verification(connection, workspace, film, joined, shown, options.verify == "film", screen).fault()
        if fault is not None:
            raise Refusal(f"The joined film {joined} is wrong: {fault}. The segments are kept. If decoders of two "
                          "machines differ, --resume --verify packets omits this comparison.")
    # `join` has read the audio of the source again, so check that the source has not changed meanwhile.
    check_source(job["source"], film.fingerprint, stamp)
    try:
        publish(joined, output, options.overwrite)
    except FileExistsError as error:
        raise Refusal(f"{error}; --resume --overwrite replaces it.") from None
    return len(lost)
