"""Renders the segments that are missing, and those whose joints do not match."""

import dataclasses
import json
import time
from typing import Any

from . import task
from .checks import Result, open_joints
from .cluster import Connection
from .progress import Progress
from .refusal import Refusal
from .schedule import Schedule
from .screen import Screen
from .study import Study
from .times import timestamp
from .workspace import Workspace


class Rendering:
    """The segments of a film on the workers of a connection."""

    def __init__(self, connection: Connection, film: Study, workspace: Workspace, screen: Screen) -> None:
        self._connection, self._film, self._workspace, self._screen = connection, film, workspace, screen
        self._cuts, self._manifest = film.cuts, workspace.manifest
        done = self._manifest.results
        self._progress = Progress(len(film.frames), len(self._cuts), sum(result.frames for result in done.values()),
                                  len(done), time.monotonic())
        self._has_noted_skip = film.job["mode"] == "skip"
        spec = {"run": workspace.run, "segments": str(workspace.segments), "code": str(workspace.code),
                "index": str(workspace.index), "job": film.job, "processors": connection.processors}
        path = workspace.folder / "spec"
        path.write_text(json.dumps(spec), encoding="utf-8")
        self._schedule = Schedule(connection, task.render_segment, str(path), self._on_done, self._on_failure,
                                  self._on_tick)
        connection.client.subscribe_topic(task.PROGRESS_TOPIC, self._on_progress)

    def run(self) -> None:
        missing = [number for number in range(len(self._cuts)) if number not in self._manifest.results]
        self._render(missing, self._film.job["mode"])
        self._close_joints()
        self._screen.clear()
        files = {result.file for result in self._manifest.results.values()}
        again = self._workspace.remove_unlisted(files)
        if again:
            self._screen.say(f"{again} segments were rendered again, because a worker or a process ended.")

    def _render(self, numbers: list[int], mode: str) -> None:
        self._schedule.run(numbers, mode)
        given_up = sorted(self._schedule.attempts.given_up)
        if given_up:
            lines = [f"Segment {number} ({self._span(number)}) failed: {self._schedule.attempts.text(number)}"
                     for number in given_up]
            raise Refusal("\n".join(lines) + f"\n{len(self._manifest.results)} segments are kept; --resume tries the "
                          "others again.")

    def _close_joints(self) -> None:
        """Where neighbours differ, the later one is rendered again, with the source read from its beginning."""
        different = [number for number in open_joints(self._manifest.results, self._cuts)
                     if self._manifest.results[number].mode == "seek"]
        while different:
            number = different[0]
            self._note_skip(number, "its first pictures are not those after the pictures before it")
            self._manifest.forget(number)
            self._render([number], "skip")
            different = [later for later in open_joints(self._manifest.results, self._cuts)
                         if self._manifest.results[later].mode == "seek"]
        left = open_joints(self._manifest.results, self._cuts)
        if left:
            raise Refusal(f"The pictures at {self._span(left[0]).partition(' ')[0]} depend on those before them: "
                          f"\"{self._film.job['filter']}\" needs --lead-in, or a longer one, and --restart; or the "
                          "source is damaged there.")

    def _span(self, number: int) -> str:
        pts, segment, origin = self._film.frames.pts, self._cuts[number], self._film.job["origin"]
        return f"{timestamp(pts[segment.first] - origin)} to {timestamp(pts[segment.end - 1] - origin)}"

    def _note_skip(self, number: int, why: str) -> None:
        if not self._has_noted_skip:
            self._has_noted_skip = True
            self._screen.say(f"Note: the film cannot be sought exactly at segment {number} ({self._span(number)}): "
                             f"{why}. Such segments are decoded from the beginning of the film.")

    # Calls of the schedule

    def _on_done(self, number: int, answer: dict[str, Any]) -> None:
        result = dataclasses.replace(Result(**answer["result"]), worker=answer["host"],
                                     seconds=round(answer["seconds"], 3))
        self._manifest.add(result)
        self._progress.finished(number, result.frames)
        if result.mode == "skip":
            self._note_skip(number, "the frames after a seek are not those of the index")

    def _on_failure(self, number: int, text: str) -> None:
        self._progress.failed(number)
        self._screen.say(f"Segment {number} ({self._span(number)}): {text}")

    def _on_tick(self) -> None:
        self._screen.show(self._progress.line(time.monotonic(), len(self._connection.workers())))

    def _on_progress(self, event: Any) -> None:
        """Called on a thread of Dask."""
        _, message = event
        if message["run"] == self._workspace.run and message["number"] not in self._manifest.results:
            self._progress.rendered(message["number"], message["frames"])
