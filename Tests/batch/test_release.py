"""Tests waiting segments while workers leave and join, with a stand-in for the Dask client."""

import unittest
from types import SimpleNamespace
from typing import Any

import support  # noqa: F401

from render.cluster import RESOURCE
from render.schedule import Schedule


class _Client:
    """Stand-in for a Dask client. It records submitted tasks and never runs them."""

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
    """Submits one segment while the worker `a` has the resource `render`. The workers change afterwards."""

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
        """Reports that the worker has begun the last submitted task."""
        self.schedule._on_begun((0.0, {"key": self.client.futures[-1].key, "worker": worker}))

    def test_waiting_segment_is_resubmitted_if_a_worker_without_the_resource_joins(self) -> None:
        self.see({"a": _LIMITED, "b": _PLAIN})
        self.assertEqual(self.client.resources, [{RESOURCE: 1}, None])

    def test_segment_in_progress_is_not_resubmitted(self) -> None:
        self.begin("a")
        self.see({"a": _LIMITED, "b": _PLAIN}, {"a": _LIMITED})
        self.assertEqual(len(self.client.resources), 1)

    def test_segment_is_resubmitted_if_its_worker_has_left(self) -> None:
        self.begin("a")
        self.see({"b": _PLAIN})
        self.assertEqual(len(self.client.resources), 2)

    def test_finished_segment_is_not_resubmitted(self) -> None:
        self.client.futures[-1].done = lambda: True
        self.see({"a": _LIMITED, "b": _PLAIN})
        self.assertEqual(len(self.client.resources), 1)

    def test_segment_is_resubmitted_if_its_worker_restarts_with_another_resource(self) -> None:
        self.begin("a")
        self.see({"a": _PLAIN})
        self.assertEqual(self.client.resources, [{RESOURCE: 1}, None])
        self.begin("a")
        self.see({}, {"a": _LIMITED})
        self.assertEqual(self.client.resources, [{RESOURCE: 1}, None, {RESOURCE: 1}])

    def test_segment_waits_again_after_its_worker_has_restarted(self) -> None:
        """The scheduler has no worker during the restart."""
        self.begin("a")
        self.see({}, {"a": _LIMITED})
        self.assertEqual(len(self.client.resources), 1)
        self.see({"a": _LIMITED, "b": _PLAIN})
        self.assertEqual(self.client.resources, [{RESOURCE: 1}, None])

    def test_cancelled_task_does_not_mark_the_segment_as_begun(self) -> None:
        """Even if the cancelled first task of a segment begins, the second task of this segment has not begun."""
        first = self.client.futures[-1].key
        self.see({"a": _LIMITED, "b": _PLAIN})
        self.schedule._on_begun((0.0, {"key": first, "worker": "a"}))
        self.see({"a": _LIMITED})
        self.assertEqual(self.client.resources, [{RESOURCE: 1}, None, {RESOURCE: 1}])


if __name__ == "__main__":
    unittest.main()
