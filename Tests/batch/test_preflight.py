"""The examination of workers: several runs on one worker."""

import unittest
from types import SimpleNamespace
from typing import Any
from unittest import mock

import support  # noqa: F401

from render import task


class VerdictTests(unittest.TestCase):
    """One worker that renders the films of several programs."""

    def setUp(self) -> None:
        self.examined: list[str] = []
        self.worker = SimpleNamespace()

    def verdict(self, run: str) -> str | None:
        def fault(spec: dict[str, Any]) -> str | None:
            self.examined.append(spec["run"])
            return f"fault of {spec['run']}" if spec["run"] == "b" else None

        with mock.patch("render.task._machine_fault", fault):
            return task._fault_of_machine({"run": run}, self.worker)

    def test_worker_is_examined_once_in_each_run(self) -> None:
        self.assertEqual([self.verdict(run) for run in "abab"], [None, "fault of b"] * 2)
        self.assertEqual(self.examined, ["a", "b"])

    def test_number_of_runs_is_limited(self) -> None:
        with mock.patch("render.task._MOST_VERDICTS", 2):
            for run in "abcc":
                self.verdict(run)
        self.assertEqual(self.examined, ["a", "b", "c"])
        self.assertEqual(list(self.worker._render_verdicts), ["b", "c"])


if __name__ == "__main__":
    unittest.main()
