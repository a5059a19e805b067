"""Renders the missing segments, and renders a segment again if its pictures do not match those of its neighbour."""

import dataclasses
import time
from typing import Any

from . import task
from .checks import Result, is_open, open_joints
from .cluster import Connection
from .preflight import spec_of
from .progress import Progress
from .refusal import Refusal
from .schedule import Schedule
from .screen import Screen
from .study import Study
from .times import timestamp
from .workspace import Workspace

_LATE_SECONDS = 2.0


class Rendering:
    """Renders the segments of a film on the workers of a connection."""

    def __init__(self, connection: Connection, film: Study, workspace: Workspace, screen: Screen) -> None:
        self._connection, self._film, self._workspace, self._screen = connection, film, workspace, screen
        self._cuts, self._manifest = film.cuts, workspace.manifest
        done = self._manifest.results
        self._progress = Progress(len(film.frames), len(self._cuts), sum(result.frames for result in done.values()),
                                  len(done), time.monotonic())
        # Segments to render again, and the mode in which each one reads the source.
        self._reopened: dict[int, str] = {}
        self._looked_for_late = 0.0
        self._has_noted_skip = film.job["mode"] == "skip"
        spec = workspace.write_spec(spec_of(film, workspace, connection))
        self._schedule = Schedule(connection, task.render_segment, spec, self._on_done, self._on_failure,
                                  self._on_tick, on_lost=self._use_noted)
        connection.client.subscribe_topic(task.PROGRESS_TOPIC, self._on_progress)

    def run(self) -> None:
        for number in open_joints(self._manifest.results, self._cuts):
            if number in self._manifest.results and number - 1 in self._manifest.results:
                self._reopen(number, self._wrong_side(number))
        self._render({number: self._reopened.get(number, self._film.job["mode"]) for number in range(len(self._cuts))
                      if number not in self._manifest.results})
        self._screen.clear()
        self._workspace.late.clear()
        files = {result.file for result in self._manifest.results.values()}
        again = self._workspace.remove_unlisted(files)
        if again:
            self._screen.say(f"{again} segments were rendered again: a worker or a process ended, or their pictures "
                             "were not those of their neighbours.")

    def _render(self, modes: dict[int, str]) -> None:
        self._schedule.run_modes(modes, self._workspace.late.values())
        given_up = sorted(self._schedule.attempts.given_up)
        if given_up:
            lines = [f"Segment {number} ({self._span(number)}) failed: {self._schedule.attempts.text(number)}"
                     for number in given_up]
            raise Refusal("\n".join(lines) + f"\n{len(self._manifest.results)} segments are kept; --resume tries the "
                          "others again.")

    def _check_joints(self, number: int) -> None:
        """Compares a segment with its neighbours. If two segments differ, renders one of them again without a seek."""
        results = self._manifest.results
        for later in (number, number + 1):
            before, after = results.get(later - 1), results.get(later)
            if before is not None and after is not None and is_open(before, after, self._cuts.tail):
                wrong = self._wrong_side(later)
                self._reopen(later, wrong)
                self._schedule.again(wrong, "skip")

    def _wrong_side(self, joint: int) -> int:
        """The segment to render again at a joint: the later one if rendered with a seek, otherwise the earlier one."""
        for number in (joint, joint - 1):
            # Segment 0 begins with the film, so it was rendered without a seek.
            if number > 0 and self._manifest.results[number].mode == "seek":
                return number
        raise Refusal(f"The pictures at {self._span(joint).partition(' ')[0]} depend on those before them: "
                      f"\"{self._film.job['filter']}\" needs --lead-in, or a longer one, and --restart; or the "
                      "source is damaged there.")

    def _reopen(self, joint: int, number: int) -> None:
        self._note_skip(joint, "its first pictures are not those after the pictures before it")
        self._progress.reopened(self._manifest.results[number].frames)
        self._workspace.forget(number)
        self._reopened[number] = "skip"

    def _span(self, number: int) -> str:
        pts, segment, origin = self._film.frames.pts, self._cuts[number], self._film.job["origin"]
        return f"{timestamp(pts[segment.first] - origin)} to {timestamp(pts[segment.end - 1] - origin)}"

    def _note_skip(self, number: int, why: str) -> None:
        if not self._has_noted_skip:
            self._has_noted_skip = True
            self._screen.say(f"Note: the film cannot be sought exactly at segment {number} ({self._span(number)}): "
                             f"{why}. Such segments are decoded from the beginning of the film.")

    # Callbacks of the schedule

    def _on_done(self, number: int, answer: dict[str, Any]) -> None:
        result = dataclasses.replace(Result(**answer["result"]), worker=answer["host"],
                                     seconds=round(answer["seconds"], 3))
        self._use(result)

    def _use(self, result: Result) -> None:
        number = result.number
        self._manifest.add(result)
        self._progress.finished(number, result.frames)
        if result.mode == "skip":
            self._note_skip(number, "the frames after a seek are not those of the index")
        if result.lost:
            first = timestamp(result.lost[0] - self._film.job["origin"])
            what, are, at = (("1 frame", "is", f"at {first}") if len(result.lost) == 1 else
                             (f"{len(result.lost)} frames", "are", f"the first at {first}"))
            self._screen.say(f"Note: {what} of segment {number} ({self._span(number)}) cannot be decoded and {are} "
                             f"left out, {at}.")
        self._check_joints(number)

    def _on_failure(self, number: int, text: str) -> None:
        self._progress.failed(number)
        self._screen.say(f"Segment {number} ({self._span(number)}): {text}")

    def _on_tick(self) -> None:
        if time.monotonic() - self._looked_for_late >= _LATE_SECONDS:
            self._looked_for_late = time.monotonic()
            self._use_late()
        self._screen.show(self._progress.line(time.monotonic(), len(self._connection.workers())))

    def _use_late(self) -> None:
        """Adds segments that tasks of an earlier run have finished, if this run has not rendered them itself."""
        late = self._workspace.late
        for stem, number in list(late.items()):
            if number in self._manifest.results or number in self._reopened:
                del late[stem]
                continue
            result = self._workspace.late_result(stem)
            if result is not None:
                del late[stem]
                if result.decoded or not self._film.job["verify"]:
                    self._schedule.drop(number)
                    self._use(result)

    def _use_noted(self, number: int) -> bool:
        """Adds a segment that a worker has finished but could not report. Returns True if there is such a segment."""
        for result in self._workspace.noted_results(number):
            # Ignore an earlier attempt whose pictures did not match. Its mode differs from that of the later attempt.
            is_wanted = result.mode == self._reopened.get(number, result.mode)
            if is_wanted and (result.decoded or not self._film.job["verify"]):
                self._use(result)
                return True
        return False

    def _on_progress(self, event: Any) -> None:
        """Handles a progress event of a worker, on a thread of Dask or of a local worker."""
        _, message = event
        if message["run"] == self._workspace.run and message["number"] not in self._manifest.results:
            self._progress.rendered(message["number"], message["frames"])
