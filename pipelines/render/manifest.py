"""The manifest of a film: a file with one line for the job and one line for each finished segment.

The program only appends lines, each with a checksum. A crash damages at most the last line, which is ignored later.
"""

import dataclasses
import json
import os
import zlib
from pathlib import Path
from typing import Any

from .checks import Result
from .files import open_file, read_file
from .finished import ATTEMPT
from .refusal import Refusal

# Version of the format. Increase the version if this program cannot use a job or a result of an earlier version.
FORMAT = 7


class Manifest:
    """Reads the manifest file, and appends lines to it."""

    def __init__(self, path: Path) -> None:
        """Reads the manifest if it exists. Raises Refusal if an entry does not name a valid segment file."""
        self._path = path
        self.job: dict[str, Any] | None = None
        self.results: dict[int, Result] = {}
        # Whether another version of this program wrote the file. If so, its results are not read.
        self.is_foreign = False
        complete = self._load()
        if self.job is not None and complete < path.stat().st_size:
            # Remove an incomplete last line before more lines are appended. Without a job, nothing will be appended.
            with open_file(path, "r+b") as file:
                file.truncate(complete)

    def begin(self, job: dict[str, Any]) -> None:
        self.job = job
        self._append({"format": FORMAT, "job": job})

    def add(self, result: Result) -> None:
        """Adds a finished segment. A later line for the same segment replaces it."""
        self.results[result.number] = result
        self._append({"segment": dataclasses.asdict(result)})

    def forget(self, number: int) -> None:
        """Removes a segment that must be rendered again."""
        self.results.pop(number, None)
        self._append({"forget": number})

    def _append(self, value: dict[str, Any]) -> None:
        text = json.dumps(value, separators=(",", ":"))
        with open_file(self._path, "a", encoding="utf-8") as file:
            file.write(f"{zlib.crc32(text.encode()):08x} {text}\n")
            file.flush()
            os.fsync(file.fileno())

    def _load(self) -> int:
        """Reads the valid lines. Returns their size in bytes."""
        try:
            data = read_file(self._path)
        except FileNotFoundError:
            return 0
        complete = 0
        for line in data.splitlines(keepends=True):
            value = _value(line)
            if value is None:
                break
            try:
                self._apply(value)
            except (TypeError, ValueError) as error:
                raise Refusal(f"{self._path} has an entry that this program has not written: {error}. --restart "
                              "discards the segments.") from error
            complete += len(line)
        return complete

    def _apply(self, value: dict[str, Any]) -> None:
        if "job" in value:
            if not isinstance(value["job"], dict):
                raise TypeError("its job is no object")
            self.job = value["job"]
            self.is_foreign = value.get("format") != FORMAT
        elif self.is_foreign:
            return
        elif "segment" in value:
            result = Result(**value["segment"])
            if not ATTEMPT.fullmatch(result.file):
                raise ValueError(f"segment {result.number} has the file {result.file!r}")
            self.results[result.number] = result
        elif "forget" in value:
            self.results.pop(value["forget"], None)


def is_foreign(path: Path) -> bool:
    """Whether another version of this program wrote the manifest. Only reads the file, which may be in use."""
    try:
        value = _value(read_file(path).partition(b"\n")[0] + b"\n")
    except FileNotFoundError:
        return False
    return value is not None and value.get("format") != FORMAT


def _value(line: bytes) -> dict[str, Any] | None:
    checksum, _, text = line.rstrip(b"\n").partition(b" ")
    if not line.endswith(b"\n") or checksum != b"%08x" % zlib.crc32(text):
        return None
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None
