"""Segments that wait while workers leave and join, with a stand-in for the client of Dask."""

import unittest
from types import SimpleNamespace
from typing import Any

import support  # noqa: F401

from render.cluster import RESOURCE
from render.schedule import Schedule


class _Client:
    """Keeps what is submitted, and calls nothing."""

    def __init__(self) -> None:
        self.futures: list[SimpleNamespace] = []
        self.resources: list[dict[str, int] | None] = []

    def submit(self, *_arguments: Any, resources: dict[str, int] | None, **_options: Any) -> SimpleNamespace:
        self.resources.append(resources)
        self.futures.append(SimpleNamespace(key=f"task-{len(self.futures)}", done=lambda: False, cancel=lambda: None,
                                            add_done_callback=lambda _: None))
        return self.futures[-1]


_LIMITED, _PLAIN = {"resources": {RESOURCE: 1}}, {"resources": {}}


class ReleaseTests(unittest.TestCase):
    """One segment that was submitted while the worker `a` had the resource `render`."""

    def setUp(self) -> None:
        self.client = _Client()
        self.connection = SimpleNamespace(client=self.client, workers=lambda: {"a": _LIMITED})
        self.schedule = Schedule(self.connection, None, "", None, None, None)
        self.schedule.again(1, "seek")
        self.see({"a": _LIMITED})
        self.assertEqual(self.client.resources, [{RESOURCE: 1}])

    def see(self, *workers: dict[str, Any]) -> None:
        for info in workers:
            self.connection.workers = lambda info=info: info
            self.schedule._release()

    def begin(self, worker: str) -> None:
        """The worker begins the task that was submitted last."""
        self.schedule._on_begun((0.0, {"key": self.client.futures[-1].key, "worker": worker}))

    def test_segment_that_waits_is_submitted_again(self) -> None:
        self.see({"a": _LIMITED, "b": _PLAIN})
        self.assertEqual(self.client.resources, [{RESOURCE: 1}, None])

    def test_segment_that_a_worker_has_begun_is_not(self) -> None:
        self.begin("a")
        self.see({"a": _LIMITED, "b": _PLAIN}, {"a": _LIMITED})
        self.assertEqual(len(self.client.resources), 1)

    def test_segment_whose_worker_has_left_waits(self) -> None:
        self.begin("a")
        self.see({"b": _PLAIN})
        self.assertEqual(len(self.client.resources), 2)

    def test_segment_that_is_done_is_not(self) -> None:
        self.client.futures[-1].done = lambda: True
        self.see({"a": _LIMITED, "b": _PLAIN})
        self.assertEqual(len(self.client.resources), 1)

    def test_worker_that_returns_with_its_address_and_without_the_resource_gets_the_segment(self) -> None:
        self.begin("a")
        self.see({"a": _PLAIN})
        self.assertEqual(self.client.resources, [{RESOURCE: 1}, None])
        self.begin("a")
        self.see({}, {"a": _LIMITED})
        self.assertEqual(self.client.resources, [{RESOURCE: 1}, None, {RESOURCE: 1}])

    def test_segment_whose_worker_has_returned_waits(self) -> None:
        """The scheduler has no worker meanwhile."""
        self.begin("a")
        self.see({}, {"a": _LIMITED})
        self.assertEqual(len(self.client.resources), 1)
        self.see({"a": _LIMITED, "b": _PLAIN})
        self.assertEqual(self.client.resources, [{RESOURCE: 1}, None])

    def test_segment_is_not_bound_to_a_task_that_was_given_up(self) -> None:
        """The first attempt may go on; it says nothing about the second one."""
        first = self.client.futures[-1].key
        self.see({"a": _LIMITED, "b": _PLAIN})
        self.schedule._on_begun((0.0, {"key": first, "worker": "a"}))
        self.see({"a": _LIMITED})
        self.assertEqual(self.client.resources, [{RESOURCE: 1}, None, {RESOURCE: 1}])


if __name__ == "__main__":
    unittest.main()
