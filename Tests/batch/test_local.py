"""Tests the workers of this machine, which do not need Dask, with stand-ins for rendering."""

import threading
import unittest
from concurrent.futures import wait
from typing import Any

from support import PATIENCE

from render.cluster import connect_locally
from render.local import LocalClient
from render.schedule import Schedule
from render.task import report_begun, this_worker


class LocalTests(unittest.TestCase):
    def client(self, workers: int) -> LocalClient:
        client = LocalClient(workers)
        self.addCleanup(client.close)
        return client

    def test_task_with_the_highest_priority_runs_next(self) -> None:
        client, gate, order = self.client(1), threading.Event(), []
        first = client.submit(gate.wait, priority=-9)
        others = [client.submit(order.append, priority, priority=priority) for priority in (-2, 0, -1, 0)]
        gate.set()
        wait([first, *others], timeout=PATIENCE)
        self.assertEqual(order, [0, 0, -1, -2])

    def test_workers_run_tasks_at_the_same_time(self) -> None:
        """The tasks wait at a barrier, which opens only when three tasks run at the same time."""
        client, barrier = self.client(3), threading.Barrier(3)
        futures = [client.submit(barrier.wait, 30) for _ in range(3)]
        self.assertEqual(sorted(future.result(30) for future in futures), [0, 1, 2])

    def test_future_has_the_status_names_of_dask(self) -> None:
        client, gate = self.client(1), threading.Event()
        running, waiting = client.submit(gate.wait), client.submit(gate.wait)
        self.assertEqual(waiting.status, "pending")
        client.cancel([waiting])
        self.assertEqual(waiting.status, "cancelled")
        gate.set()
        self.assertTrue(running.result(30))
        self.assertEqual(running.status, "finished")
        failed = client.submit(int, "x")
        self.assertIsInstance(failed.exception(30), ValueError)
        self.assertEqual(failed.status, "error")

    def test_workers_end_with_the_client(self) -> None:
        client = LocalClient(2)
        workers = [client.submit(threading.current_thread).result(30) for _ in range(2)]
        client.close()
        for worker in workers:
            worker.join(30)
            self.assertFalse(worker.is_alive())

    def test_failed_segment_is_tried_again_and_the_others_are_rendered(self) -> None:
        connection = connect_locally(2)
        self.addCleanup(connection.close)
        done: list[int] = []
        begun: set[str] = set()

        def stand_in(_spec: str, number: int, _mode: str) -> dict[str, Any]:
            worker = this_worker()
            report_begun(worker)
            begun.add(worker.address)
            answer = {"failure": {"kind": "media", "text": "poison"}} if number == 3 else {"result": {}}
            return {**answer, "worker": worker.address, "host": "h", "seconds": 0.0}

        schedule = Schedule(connection, stand_in, "", lambda number, _answer: done.append(number),
                            lambda _number, _text: None, lambda: None)
        schedule.run(range(20), "seek")
        self.assertEqual(sorted(done), [number for number in range(20) if number != 3])
        self.assertEqual((schedule.attempts.given_up, schedule._begun), ({3}, {}))
        self.assertLessEqual(begun, set(connection.workers()))


if __name__ == "__main__":
    unittest.main()
