"""Tests how workers are examined, with stand-ins for Dask. Workers raise exceptions, time out, or serve two runs."""

import asyncio
import threading
import unittest
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from unittest import mock

import support  # noqa: F401

from render import task
from render.preflight import examine_workers
from render.refusal import Refusal

_FIT = {"host": "h", "fault": None}


def _version(text: str) -> dict[str, Any]:
    return {"packages": {"distributed": text}}


class _Client:
    """Stand-in for a Dask client. `answers` maps the address of each worker to its answer; None is no answer."""

    def __init__(self, answers: dict[str, Any]) -> None:
        self._answers, self.workers = answers, dict.fromkeys(answers, {})
        self.versions = {"client": _version("2026.8.0"), "scheduler": _version("2026.8.0"),
                         "workers": dict.fromkeys(answers, _version("2026.8.0+ds.1"))}

    def sync(self, function: Any, *arguments: Any) -> Any:
        return asyncio.run(function(*arguments))

    async def get_versions(self) -> dict[str, Any]:
        if self.versions is None:
            raise OSError("Timed out")
        return self.versions

    async def run(self, _function: Any, _spec: Any, workers: list[str], on_error: str) -> dict[str, Any]:
        assert on_error == "return"
        address, = workers
        if self._answers[address] is None:
            await asyncio.Event().wait()
        return {address: self._answers[address]}

    def scheduler_info(self, **_options: int) -> dict[str, Any]:
        return {"workers": self.workers}


class PreflightTests(unittest.TestCase):
    def examine(self, answers: dict[str, Any], left: tuple[str, ...] = (), **versions: Any) -> str:
        """Text of the Refusal; empty if all workers can render. Workers in `left` leave during the examination."""
        client = _Client(answers)
        client.versions = {**client.versions, **versions} if None not in versions.values() else None
        connection = SimpleNamespace(client=client, workers=lambda: dict.fromkeys(answers, {}), is_local=False,
                                     processors={})
        for address in left:
            del client.workers[address]
        film = SimpleNamespace(job={"verify": False}, fingerprint="", caps="", pictures={})
        workspace = SimpleNamespace(run="", segments="", code="", index="", folder=Path(), was_remote=False)
        try:
            with mock.patch("render.preflight._ANSWER_SECONDS", 0.05):
                examine_workers(connection, film, workspace)
        except Refusal as refusal:
            return str(refusal)
        return ""

    def test_fit_workers_are_used(self) -> None:
        self.assertEqual(self.examine({"tcp://a": _FIT, "tcp://b": _FIT}), "")

    def test_other_versions_of_dask_are_named(self) -> None:
        """Workers with another version pass the examination, but their connection is lost with each segment."""
        old, workers = _version("2026.7.1"), {"tcp://a": _FIT, "tcp://b": _FIT}
        found = {"tcp://a": _version("2026.8.0"), "tcp://b": old}
        self.assertEqual(self.examine(workers, scheduler=old, workers=found),
                         "The versions of distributed must be equal, and are 2026.8.0 (this machine, tcp://a), "
                         "2026.7.1 (the scheduler, tcp://b); install the same one everywhere.")
        self.assertEqual(self.examine(workers, scheduler=None), "")

    def test_worker_with_a_fault_is_named(self) -> None:
        text = self.examine({"tcp://a": _FIT, "tcp://b": {"host": "bert", "fault": "no x264enc"}})
        self.assertEqual(text, "Not every machine can render the film:\nbert (tcp://b): no x264enc")

    def test_worker_that_raises_an_exception_is_named(self) -> None:
        """A worker raises an exception, for example, if its version of Python cannot unpickle the function."""
        text = self.examine({"tcp://a": _FIT, "tcp://b": TypeError("code() takes at most 16 arguments\nmore"),
                             "tcp://c": MemoryError(), "tcp://d": OSError("Timed out")})
        _, first, second, third = text.splitlines()
        self.assertRegex(first, r"^tcp://b: TypeError: code\(\) takes at most 16 arguments; a worker needs Python 3\.")
        self.assertRegex(second, "^tcp://c: MemoryError; a worker needs Python")
        self.assertEqual(third, "tcp://d: OSError: Timed out")

    def test_worker_that_does_not_answer_is_named(self) -> None:
        text = self.examine({"tcp://a": _FIT, "tcp://b": None})
        self.assertRegex(text, "\ntcp://b: no answer within .* a shared folder may not respond there$")

    def test_fault_of_a_worker_that_has_left_is_ignored(self) -> None:
        self.assertEqual(self.examine({"tcp://a": _FIT, "tcp://b": OSError("closed")}, left=("tcp://b",)), "")

    def test_examination_does_not_block_the_event_loop_of_the_worker(self) -> None:
        with mock.patch("render.task.examine_machine", lambda *_: threading.current_thread()):
            thread = asyncio.run(task.examine_on_thread({}, SimpleNamespace()))
        self.assertIsNot(thread, threading.current_thread())


class VerdictTests(unittest.TestCase):
    """Examines one worker that renders the films of several programs."""

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
