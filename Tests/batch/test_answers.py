"""Tests that lost return values of finished tasks are handled, with stand-ins for Dask."""

import tempfile
import unittest
from collections.abc import Callable
from concurrent.futures import CancelledError
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from support import index, result

from render.finished import finish
from render.packets import PacketWriter
from render.refusal import Refusal
from render.rendering import Rendering
from render.schedule import Schedule
from render.study import Study
from render.workspace import Workspace

_DONE = {"result": {}, "worker": "w", "host": "h", "seconds": 0.0}


class _Future:
    """A finished task. `result` returns the answer or raises it, and may change the status."""

    def __init__(self, status: str, answer: Any, status_after: str | None = None) -> None:
        self.key, self.status, self.is_cancelled, self.is_asked = "task", status, False, False
        self._answer, self._status_after = answer, status_after or status

    def result(self, timeout: float) -> Any:
        assert timeout > 0
        self.is_asked, self.status = True, self._status_after
        if isinstance(self._answer, Exception):
            raise self._answer
        return self._answer

    def exception(self, timeout: float) -> Any:
        assert timeout > 0
        return self._answer

    def cancel(self) -> None:
        self.is_cancelled = True

    def done(self) -> bool:
        return True

    def add_done_callback(self, callback: Callable[["_Future"], None]) -> None:
        callback(self)


class _Client:
    """`submit` returns the given futures one after the other."""

    status = "running"

    def __init__(self, *futures: _Future) -> None:
        self.futures = list(futures)

    def subscribe_topic(self, _topic: str, _handler: Any) -> None:
        pass

    def submit(self, *_arguments: Any, **_options: Any) -> _Future:
        return self.futures.pop(0)

    def cancel(self, _futures: list[_Future]) -> None:
        pass


def _connection(*futures: _Future) -> SimpleNamespace:
    return SimpleNamespace(client=_Client(*futures), workers=lambda: {"w": {}}, is_local=True, processors={})


class AnswerTests(unittest.TestCase):
    """Schedules one segment."""

    def setUp(self) -> None:
        self.done: list[int] = []
        self.failures: list[str] = []

    def render(self, *futures: _Future, **options: Any) -> None:
        connection = _connection(*futures)
        Schedule(connection, None, "", lambda number, _answer: self.done.append(number),
                 lambda _number, text: self.failures.append(text), lambda: None, **options).run([0], "seek")
        self.assertEqual(connection.client.futures, [])

    def test_segment_with_a_lost_answer_is_resubmitted(self) -> None:
        """In the three cases, Dask waits for another worker, no longer knows the task, or has lost the connection."""
        for error, status, is_cancelled in ((TimeoutError(), "pending", True), (CancelledError(), "cancelled", False),
                                            (OSError("closed"), "finished", True)):
            lost = _Future("finished", error, status)
            self.render(lost, _Future("finished", _DONE))
            self.assertEqual((self.done, self.failures, lost.is_cancelled), ([0], [], is_cancelled))
            self.done.clear()

    def test_result_is_not_requested_if_the_status_shows_a_loss(self) -> None:
        for status in ("lost", "pending", "cancelled"):
            lost = _Future(status, _DONE)
            self.render(lost, _Future("finished", _DONE))
            self.assertEqual((self.done, self.failures, lost.is_asked), ([0], [], False))
            self.done.clear()

    def test_segment_found_by_on_lost_is_not_resubmitted(self) -> None:
        found = []
        self.render(_Future("finished", TimeoutError(), "pending"), on_lost=lambda number: not found.append(number))
        self.assertEqual((found, self.done), ([0], []))

    def test_fourth_loss_of_a_segment_ends_the_run(self) -> None:
        with self.assertRaisesRegex(Refusal, "has lost segment 0 4 times"):
            self.render(*(_Future("finished", TimeoutError(), "pending") for _ in range(5)))

    def test_end_of_the_scheduler_is_named(self) -> None:
        """The client is closed after the schedule has detected the loss of an answer."""
        connection = _connection(_Future("finished", OSError("closed")))

        def on_lost(_number: int) -> bool:
            connection.client.status = "closed"
            return False

        with self.assertRaisesRegex(Refusal, "The scheduler is gone"):
            Schedule(connection, None, "", None, None, lambda: None, on_lost=on_lost).run([0], "seek")

    def test_task_that_fails_in_its_second_run_has_failed(self) -> None:
        """An OSError can also mean that the answer is lost, but the status "error" shows that the task has failed."""
        for error in (RuntimeError("w has died"), OSError("w has died")):
            self.render(_Future("finished", error, "error"), _Future("finished", _DONE))
        self.assertEqual((self.done, self.failures), ([0, 0], ["workers that ended: w has died"] * 2))

    def test_failure_on_the_only_machine_names_no_host(self) -> None:
        failure = {"failure": {"kind": "media", "text": "broken"}, "worker": "w", "host": "h", "seconds": 0.0}
        self.render(_Future("finished", failure), _Future("finished", _DONE))
        self.assertEqual((self.done, self.failures), ([0], ["broken"]))

    def test_exception_without_text_is_named(self) -> None:
        self.render(_Future("error", MemoryError()), _Future("finished", _DONE))
        self.assertEqual((self.done, self.failures), ([0], ["workers that ended: MemoryError"]))


class NoteTests(unittest.TestCase):
    """Renders a film of one segment. A worker has finished the segment but could not report it."""

    def rendering(self, verify: bool, *futures: _Future) -> Rendering:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.workspace = Workspace(Path(folder.name) / "film.batch")
        self.workspace.open(restart=True)
        self.addCleanup(self.workspace.close)
        job = {"id": "job", "mode": "seek", "step": 10, "origin": 0, "filter": "identity", "verify": verify}
        self.workspace.begin(job)
        writer = PacketWriter(self.workspace.path("000000-aaaaaaaaaaaa.part"))
        finish(self.workspace.path("000000-aaaaaaaaaaaa.part"), "job", {**vars(result(0)), "digest": writer.end()})
        screen = SimpleNamespace(say=lambda _: None, show=lambda _: None, clear=lambda: None)
        film = Study(job, index(10), "", 0, "", {"encoded": ""}, 0, [])
        return Rendering(_connection(*futures), film, self.workspace, screen)

    def test_finished_segment_with_a_lost_answer_is_used(self) -> None:
        self.rendering(False, _Future("finished", TimeoutError(), "pending")).run()
        self.assertEqual(self.workspace.manifest.results[0].file, "000000-aaaaaaaaaaaa.seg")

    def test_segment_without_verification_or_with_another_mode_is_not_used(self) -> None:
        self.assertFalse(self.rendering(True)._use_noted(0))
        rendering = self.rendering(False)
        rendering._reopened[0] = "skip"
        self.assertFalse(rendering._use_noted(0))
        self.assertEqual(self.workspace.manifest.results, {})


if __name__ == "__main__":
    unittest.main()
