"""The files of a finished segment: its packets, and what is known about them.

The process that renders a segment writes both, so that the segment can be used if nothing was left to which it could
report, neither worker nor scheduler.
"""

import json
import os
import re
from pathlib import Path
from typing import Any

from .checks import Result
from .files import open_file, paths_in, read_file, rename_file
from .packets import DamagedFile, digest_of

PART, SEGMENT, NOTE = ".part", ".seg", ".json"
# Names of the files of an attempt, which `task` chooses: the number of the segment, and a random one.
ATTEMPT = re.compile(r"[0-9]{6,}-[0-9a-f]{12}\.(part|seg|json)")


def finish(part: Path, job: str, result: dict[str, Any]) -> dict[str, Any]:
    """Gives the complete file of a segment its name; returns the result with that name."""
    final = part.with_suffix(SEGMENT)
    result = {**result, "file": final.name}
    with open_file(part.with_suffix(NOTE), "x", encoding="utf-8") as file:
        json.dump({"job": job, "result": result}, file)
        file.flush()
        os.fsync(file.fileno())
    rename_file(part, final.name)
    return result


def unreported(folder: Path, job: str, known: set[int]) -> list[Result]:
    """Undamaged segments of a job that are not among the `known` ones, at most one for each number."""
    found: dict[int, Result] = {}
    for note in paths_in(folder):
        is_note = ATTEMPT.fullmatch(note.name) and note.suffix == NOTE
        result = noted(note, job, known | set(found)) if is_note else None
        if result is not None:
            found[result.number] = result
    return list(found.values())


def noted(note: Path, job: str, known: set[int]) -> Result | None:
    """The segment of a note, if it is complete, undamaged, of this job, and not among the `known` ones."""
    try:
        content = json.loads(read_file(note))
        result = Result(**content["result"])
        segment = note.with_suffix(SEGMENT)
        if content["job"] == job and result.number not in known and result.file == segment.name and \
                digest_of(segment) == result.digest:
            return result
    except (OSError, DamagedFile, ValueError, TypeError, KeyError, RecursionError):
        # A note that is being written, or one without its segment.
        pass
    return None
