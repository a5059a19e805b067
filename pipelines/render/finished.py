"""The two files of a finished segment: one with the packets, and a note in JSON with the job and the result.

The process that renders a segment writes both files. A later run can use the segment even if the worker or the
scheduler ended before the process could report.
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
# Names of the files of an attempt to render a segment: number of the segment, random number, and suffix.
ATTEMPT = re.compile(r"[0-9]{6,}-[0-9a-f]{12}\.(part|seg|json)")


def finish(part: Path, job: str, result: dict[str, Any]) -> dict[str, Any]:
    """Writes the note and renames the complete .part file to .seg. Returns the result with the new name."""
    final = part.with_suffix(SEGMENT)
    result = {**result, "file": final.name}
    with open_file(part.with_suffix(NOTE), "x", encoding="utf-8") as file:
        json.dump({"job": job, "result": result}, file)
        file.flush()
        os.fsync(file.fileno())
    rename_file(part, final.name)
    return result


def unreported(folder: Path, job: str, known: set[int]) -> list[Result]:
    """Results of undamaged segments of a job whose numbers are not in `known`, at most one for each number."""
    found: dict[int, Result] = {}
    for note in paths_in(folder):
        is_note = ATTEMPT.fullmatch(note.name) and note.suffix == NOTE
        result = noted(note, job, known | set(found)) if is_note else None
        if result is not None:
            found[result.number] = result
    return list(found.values())


def noted(note: Path, job: str, known: set[int]) -> Result | None:
    """The result in a note. None if another job wrote it, its number is in `known`, or its segment is damaged."""
    try:
        content = json.loads(read_file(note))
        result = Result(**content["result"])
        segment = note.with_suffix(SEGMENT)
        if content["job"] == job and result.number not in known and result.file == segment.name and \
                digest_of(segment) == result.digest:
            return result
    except (OSError, DamagedFile, ValueError, TypeError, KeyError, RecursionError):
        # The note is incomplete, or its segment does not exist.
        pass
    return None
