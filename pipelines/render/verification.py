"""Compares the decoded pictures of the joined film with those of its segments.

`film` has already checked that the packets are equal. At a joint, the decoder may still be in a different state or have
different headers. Decoding the first pictures of each segment detects this. `--verify film` decodes all pictures.
"""

import json
import time
from collections.abc import Sequence
from pathlib import Path

from . import task
from .checks import OPENING
from .cluster import Connection
from .preflight import spec_of
from .refusal import Refusal
from .schedule import NoFitWorker, Schedule
from .screen import Screen
from .study import Study
from .times import counted, timestamp
from .tool import packed, run_tool
from .workspace import Workspace

# Time without workers after which this machine decodes the film.
_PATIENCE_SECONDS = 15.0
# Maximum number of segments per task if all pictures are decoded, and if only the first pictures are decoded.
_WHOLE_SHARE, _OPENING_SHARE = 4, 100


class _NoWorkers(Exception):
    """All workers have left the scheduler."""


class Verification:
    """Verifies the pictures of one joined film."""

    def __init__(self, connection: Connection, workspace: Workspace, film: Study, path: Path, times: Sequence[int],
                 is_whole: bool, screen: Screen) -> None:
        """`times` are the times of the frames in the file `path`, in order."""
        self._connection, self._path, self._screen = connection, path, screen
        self._spec = spec_of(film, workspace, connection)
        self._results = workspace.manifest.results
        self._parts: list[dict[str, int]] = []
        end = 0
        for number in range(len(film.cuts)):
            begin, end = end, end + self._results[number].frames
            self._parts.append({
                "number": number, "first": max(0, times[begin]), "before": max(0, times[begin - 1]) if begin else 0,
                "count": end - begin if is_whole else min(end - begin, OPENING)})
        workers = max(1, len(connection.workers()))
        length = min(_WHOLE_SHARE if is_whole else _OPENING_SHARE, -(-len(self._parts) // workers))
        self._shares = [self._parts[first:first + length] for first in range(0, len(self._parts), length)]
        self._found: dict[str, str] = {}
        self._without_workers_since: float | None = None

    def fault(self) -> str | None:
        """Returns a text about the first difference, or None. Raises Refusal if the film cannot be decoded."""
        self._decode_on_workers()
        for share in self._shares:
            if str(share[0]["number"]) not in self._found:
                self._decode_here(share)
        self._screen.clear()
        for part in self._parts:
            result = self._results[part["number"]]
            expected = result.opening if part["count"] <= OPENING else result.decoded
            if self._found[str(result.number)] != expected:
                return f"its pictures at {timestamp(part['first'])} are not those of segment {result.number}"
        return None

    def _decode_on_workers(self) -> None:
        spec = json.dumps({**self._spec, "path": str(self._path), "shares": self._shares})
        schedule = Schedule(self._connection, task.watch_film, spec,
                            lambda _number, answer: self._found.update(answer["result"]), self._on_failure,
                            self._on_tick, "decode the joined film")
        try:
            schedule.run(range(len(self._shares)), "seek")
        except _NoWorkers:
            self._screen.say("No worker is left: this machine decodes the rest of the joined film.")
        except NoFitWorker:
            self._screen.say("No worker is fit: this machine decodes the rest of the joined film.")

    def _decode_here(self, share: list[dict[str, int]]) -> None:
        """Decodes some segments of the film on this machine, which can read the film even if no worker can."""
        self._show(0)
        answer = run_tool(packed(), "watch", {"path": str(self._path), "parts": share})
        if "failure" in answer:
            raise Refusal(f"The joined film {self._path} cannot be verified: {answer['failure']['text']} The segments "
                          "are kept: --resume joins and verifies them again, and --resume --verify packets compares "
                          "packets only.")
        self._found.update(answer["result"])

    def _on_failure(self, number: int, text: str) -> None:
        share = self._shares[number]
        self._screen.say(f"Verification of segments {share[0]['number']} to {share[-1]['number']}: {text}")

    def _on_tick(self) -> None:
        workers, now = len(self._connection.workers()), time.monotonic()
        if workers:
            self._without_workers_since = None
        elif self._without_workers_since is None:
            self._without_workers_since = now
        elif now - self._without_workers_since > _PATIENCE_SECONDS:
            raise _NoWorkers
        self._show(workers)

    def _show(self, workers: int) -> None:
        self._screen.show(f"Verifying the joined film: segment {len(self._found)} of {len(self._parts)}  "
                          f"{counted(workers, 'worker')}")
