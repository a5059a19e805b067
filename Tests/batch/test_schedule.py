"""Tests failures, and workers that leave or join, with Dask workers and stand-ins for rendering."""

import threading
import time
import unittest
from types import SimpleNamespace
from typing import Any

from support import PATIENCE, dask_workers, wait_until

from render.cluster import RESOURCE, all_workers, share_processors
from render.refusal import Refusal
from render.schedule import Schedule


def _fail(place: str, kind: str, text: str) -> dict[str, Any]:
    return {"failure": {"kind": kind, "text": text}, "worker": place, "host": place, "seconds": 0.0}


def _done(place: str) -> dict[str, Any]:
    return {"result": {}, "worker": place, "host": place, "seconds": 0.0}


class ScheduleTests(unittest.TestCase):
    def setUp(self) -> None:
        self.done: list[int] = []
        self.failures: list[str] = []

    def schedule(self, connection: Any, stand_in: Any, **changes: Any) -> Schedule:
        end = time.monotonic() + PATIENCE

        def on_tick() -> None:
            if time.monotonic() > end:
                raise AssertionError("the schedule does not end")

        calls = {"on_done": lambda number, _answer: self.done.append(number),
                 "on_failure": lambda _number, text: self.failures.append(text), "on_tick": on_tick, **changes}
        return Schedule(connection, stand_in, "", **calls)

    def test_failing_segment_is_tried_on_each_worker_and_then_given_up(self) -> None:
        def stand_in(_spec: Any, number: int, _mode: str) -> dict[str, Any]:
            from distributed import get_worker

            place = get_worker().address
            return _fail(place, "media", "poison") if number == 3 else _done(place)

        connection = dask_workers(3)
        self.addCleanup(connection.close)
        schedule = self.schedule(connection, stand_in)
        schedule.run(range(20), "seek")
        self.assertEqual(sorted(self.done), [number for number in range(20) if number != 3])
        self.assertEqual((len(self.failures), len(set(self.failures))), (3, 3), self.failures)
        self.assertEqual(schedule.attempts.given_up, {3})

    def test_segment_is_rendered_if_its_permitted_workers_have_left(self) -> None:
        def stand_in(_spec: Any, number: int, mode: str) -> dict[str, Any]:
            from distributed import get_worker

            worker = get_worker()
            worker.tries = getattr(worker, "tries", 0) + 1
            return _fail(worker.address, "media", "once") if worker.tries == 1 else _done(worker.address)

        connection = dask_workers(2)
        self.addCleanup(connection.close)

        def on_failure(_number: int, text: str) -> None:
            self.failures.append(text)
            other = [name for name in connection.workers() if not text.startswith(name)]
            connection.client.retire_workers(other)

        self.schedule(connection, stand_in, on_failure=on_failure).run([0], "seek")
        self.assertEqual((self.done, len(self.failures)), ([0], 1))

    def test_worker_that_joins_gets_segments_although_another_worker_is_unfit(self) -> None:
        def stand_in(_spec: Any, _number: int, _mode: str) -> dict[str, Any]:
            from distributed import get_worker

            threading.Event().wait(0.15)
            return _done(get_worker().address)

        connection = dask_workers(2)
        self.addCleanup(connection.close)
        first, second = connection.workers()
        places = set()

        def on_done(number: int, answer: dict[str, Any]) -> None:
            self.done.append(number)
            places.add(answer["worker"])
            connection.client.cluster.scale(3)
            connection._asked = 0.0

        schedule = self.schedule(connection, stand_in, on_done=on_done)
        schedule.attempts.unfit[first] = "the folder is not mounted"
        schedule.run(range(20), "seek")
        self.assertEqual(sorted(self.done), list(range(20)))
        self.assertEqual((len(places), first in places, second in places), (2, False, True))

    def test_workers_with_and_without_the_resource_replace_each_other(self) -> None:
        """A waiting segment was submitted for the resources of the earlier workers, so it must be resubmitted."""
        def stand_in(_spec: Any, _number: int, _mode: str) -> dict[str, Any]:
            from distributed import get_worker

            threading.Event().wait(0.1)
            return _done(get_worker().address)

        connection = dask_workers(1)
        self.addCleanup(connection.close)
        cluster, places = connection.client.cluster, []

        def replace_worker(resources: dict[str, int]) -> None:
            """Replaces the worker. The new worker joins before the other one leaves."""
            before = list(all_workers(connection.client))
            cluster.new_spec = {**cluster.new_spec, "options": {**cluster.new_spec["options"], "resources": resources}}
            cluster.scale(len(cluster.worker_spec) + 1)
            wait_until(lambda: len(all_workers(connection.client)) == 2)
            connection.client.retire_workers(before)
            wait_until(lambda: len(all_workers(connection.client)) == 1)
            connection._asked = 0.0

        def on_done(number: int, answer: dict[str, Any]) -> None:
            self.done.append(number)
            places.append(answer["worker"])
            if number in (2, 6):
                replace_worker({} if number == 2 else {RESOURCE: 1})

        replace_worker({RESOURCE: 1})
        schedule = self.schedule(connection, stand_in, on_done=on_done)
        schedule.run(range(30), "seek")
        self.assertEqual((sorted(self.done), len(set(places))), (list(range(30)), 3))
        self.assertEqual(self.failures, [])

    def test_begin_of_each_task_is_known_while_it_runs(self) -> None:
        """The tasks in this test report only their begin, and no frames."""
        def stand_in(_spec: Any, _number: int, _mode: str) -> dict[str, Any]:
            from distributed import get_worker

            from render.task import report_begun

            report_begun(get_worker())
            threading.Event().wait(0.6)
            return _done(get_worker().address)

        connection = dask_workers(1)
        self.addCleanup(connection.close)
        begun: set[tuple[str, str]] = set()
        schedule = self.schedule(connection, stand_in, on_tick=lambda: begun.update(schedule._begun.items()))
        schedule.run(range(2), "seek")
        self.assertEqual((len(begun), {worker for _, worker in begun}), (2, set(connection.workers())))
        self.assertEqual(schedule._begun, {})

    def test_unfit_worker_is_named_once_and_the_run_ends_without_fit_workers(self) -> None:
        def stand_in(_spec: Any, _number: int, _mode: str) -> dict[str, Any]:
            from distributed import get_worker

            return _fail(get_worker().address, "unfit", "the folder is not mounted")

        connection = dask_workers(2)
        self.addCleanup(connection.close)
        with self.assertRaisesRegex(Refusal, "No worker can render the film: .* the folder is not mounted"):
            self.schedule(connection, stand_in).run(range(50), "seek")
        self.assertLessEqual(len(self.failures), 2)

    def test_segment_that_the_scheduler_has_forgotten_is_submitted_again(self) -> None:
        def stand_in(_spec: Any, _number: int, _mode: str) -> dict[str, Any]:
            from distributed import get_worker

            threading.Event().wait(0.2)
            return _done(get_worker().address)

        connection = dask_workers(1)
        self.addCleanup(connection.close)
        cancelled = []

        def on_done(number: int, _answer: Any) -> None:
            self.done.append(number)
            if not cancelled:
                cancelled.append(schedule._futures[3])
                cancelled[0].cancel()

        schedule = self.schedule(connection, stand_in, on_done=on_done)
        schedule.run(range(4), "seek")
        self.assertEqual(sorted(self.done), [0, 1, 2, 3])

    def test_all_workers_are_listed(self) -> None:
        """By default, Dask returns only five workers."""
        workers = {f"tcp://10.0.0.{number}:1": {} for number in range(9)}

        def scheduler_info(n_workers: int = 5) -> dict[str, Any]:
            names = list(workers)[:n_workers] if n_workers >= 0 else list(workers)
            return {"workers": {name: workers[name] for name in names}}

        self.assertEqual(all_workers(SimpleNamespace(scheduler_info=scheduler_info)), workers)
        self.assertEqual(all_workers(SimpleNamespace(scheduler_info=lambda: {"workers": workers})), workers)

    def test_processors_are_shared(self) -> None:
        self.assertEqual(share_processors([0, 1, 2, 3, 4], 2), {"0": [0, 1], "1": [2, 3, 4]})
        self.assertEqual(share_processors([4, 7], 3), {"0": [4], "1": [7], "2": [4]})


if __name__ == "__main__":
    unittest.main()
