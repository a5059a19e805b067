"""Tests the number and the order of submitted segments, with a stand-in for the Dask client."""

import unittest
from collections import deque
from types import SimpleNamespace
from typing import Any

import support  # noqa: F401

from render.refusal import Refusal
from render.schedule import Schedule


class _Future:
    def __init__(self, number: int, ends: deque["_Future"]) -> None:
        self.key, self.status, self.number, self.is_cancelled = f"task-{number}", "pending", number, False
        self._ends = ends

    def add_done_callback(self, callback: Any) -> None:
        self._callback = callback
        self._ends.append(self)

    def end(self) -> None:
        self.status = "finished"
        self._callback(self)

    def result(self, timeout: float) -> dict[str, Any]:
        assert timeout > 0
        return {"result": {}, "worker": "w", "host": "h", "seconds": 0.0}

    def done(self) -> bool:
        return self.status == "finished"

    def cancel(self) -> None:
        self.is_cancelled = True


class AheadTests(unittest.TestCase):
    """Renders segments on workers with one thread each. Segments end in the order of their submission."""

    def setUp(self) -> None:
        self.running: deque[_Future] = deque()
        self.submitted: list[int] = []
        self.most = 0
        self.done: list[int] = []

    def submit(self, _function: Any, _spec: str, number: int, _mode: str, **_options: Any) -> _Future:
        self.submitted.append(number)
        return _Future(number, self.running)

    def schedule(self, workers: int, **changes: Any) -> Schedule:
        client = SimpleNamespace(
            status="running", submit=self.submit, subscribe_topic=lambda _topic, _handler: None,
            cancel=lambda futures: [future.cancel() for future in futures])
        info = {f"w{number}": {"nthreads": 1} for number in range(workers)}

        def on_tick() -> None:
            self.most = max(self.most, len(self.running))
            if self.running:
                self.running.popleft().end()

        calls = {"on_done": lambda number, _answer: self.done.append(number), "on_failure": None, "on_tick": on_tick,
                 **changes}
        return Schedule(SimpleNamespace(client=client, workers=lambda: info), None, "", **calls)

    def test_number_of_submitted_segments_is_limited(self) -> None:
        for workers, most in ((1, 64), (32, 128)):
            self.setUp()
            self.schedule(workers).run(range(300), "seek")
            self.assertEqual((self.most, self.submitted, self.done), (most, list(range(300)), list(range(300))))

    def test_held_back_segments_are_submitted_last(self) -> None:
        self.schedule(1).run_modes(dict.fromkeys(range(100), "seek"), [3, 1])
        order = [number for number in range(100) if number not in (1, 3)] + [1, 3]
        self.assertEqual((self.submitted, self.done), (order, order))

    def test_segment_dropped_before_submission_is_not_submitted(self) -> None:
        def on_done(number: int, _answer: Any) -> None:
            self.done.append(number)
            if number == 0:
                schedule.drop(90)

        schedule = self.schedule(1, on_done=on_done)
        schedule.run(range(100), "seek")
        self.assertEqual((90 in self.submitted, self.done), (False, [*range(90), *range(91, 100)]))

    def test_nothing_is_submitted_to_a_closed_client(self) -> None:
        """A closed client would raise an error of Dask, but the program must raise a Refusal."""
        def on_done(_number: int, _answer: Any) -> None:
            schedule._client.status = "closed"

        schedule = self.schedule(1, on_done=on_done)
        with self.assertRaisesRegex(Refusal, "The scheduler is gone"):
            schedule.run(range(100), "seek")
        self.assertEqual(len(self.submitted), 64)

    def test_error_cancels_all_submitted_segments(self) -> None:
        def on_done(_number: int, _answer: Any) -> None:
            raise OSError("the disk is full")

        schedule = self.schedule(1, on_done=on_done)
        with self.assertRaises(OSError):
            schedule.run(range(100), "seek")
        self.assertEqual((len(self.submitted), all(future.is_cancelled for future in self.running)), (64, True))


if __name__ == "__main__":
    unittest.main()
