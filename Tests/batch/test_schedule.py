"""Stand-ins for rendering, on workers of Dask: failures, workers that leave, and joints that do not match."""

import json
import subprocess
import tempfile
import threading
import time
import unittest
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from unittest import mock

from support import LOSSLESS, Batch, frame_sums, index, result, wait_until

from render.cluster import all_workers, connect, share_processors
from render.finished import finish
from render.packets import PacketWriter
from render.plan import Cuts
from render.refusal import Refusal
from render.rendering import Rendering
from render.schedule import Schedule
from render.screen import Screen
from render.study import Study
from render.verification import Verification
from render.workspace import Workspace


def _fail(place: str, kind: str, text: str) -> dict[str, Any]:
    return {"failure": {"kind": kind, "text": text}, "worker": place, "host": place, "seconds": 0.0}


def _done(place: str) -> dict[str, Any]:
    return {"result": {}, "worker": place, "host": place, "seconds": 0.0}


class ScheduleTests(unittest.TestCase):
    def setUp(self) -> None:
        self.done: list[int] = []
        self.failures: list[str] = []

    def schedule(self, connection: Any, stand_in: Any, **changes: Any) -> Schedule:
        end = time.monotonic() + 40

        def on_tick() -> None:
            if time.monotonic() > end:
                raise AssertionError("the schedule does not end")

        calls = {"on_done": lambda number, _answer: self.done.append(number),
                 "on_failure": lambda _number, text: self.failures.append(text), "on_tick": on_tick, **changes}
        return Schedule(connection, stand_in, "", **calls)

    def test_poisoned_segment_is_tried_on_each_worker_and_then_given_up(self) -> None:
        def stand_in(_spec: Any, number: int, _mode: str) -> dict[str, Any]:
            from distributed import get_worker

            place = get_worker().address
            return _fail(place, "media", "poison") if number == 3 else _done(place)

        connection = connect(None, [], 3)
        self.addCleanup(connection.close)
        schedule = self.schedule(connection, stand_in)
        schedule.run(range(20), "seek")
        self.assertEqual(sorted(self.done), [number for number in range(20) if number != 3])
        self.assertEqual((len(self.failures), len(set(self.failures))), (3, 3), self.failures)
        self.assertEqual(schedule.attempts.given_up, {3})

    def test_segment_is_rendered_if_the_workers_that_it_waits_for_have_left(self) -> None:
        def stand_in(_spec: Any, number: int, mode: str) -> dict[str, Any]:
            from distributed import get_worker

            worker = get_worker()
            worker.tries = getattr(worker, "tries", 0) + 1
            return _fail(worker.address, "media", "once") if worker.tries == 1 else _done(worker.address)

        connection = connect(None, [], 2)
        self.addCleanup(connection.close)

        def on_failure(_number: int, text: str) -> None:
            self.failures.append(text)
            other = [name for name in connection.workers() if not text.startswith(name)]
            connection.client.retire_workers(other)

        self.schedule(connection, stand_in, on_failure=on_failure).run([0], "seek")
        self.assertEqual((self.done, len(self.failures)), ([0], 1))

    def test_worker_that_joins_gets_segments_that_an_unfit_one_has_refused(self) -> None:
        def stand_in(_spec: Any, _number: int, _mode: str) -> dict[str, Any]:
            from distributed import get_worker

            threading.Event().wait(0.15)
            return _done(get_worker().address)

        connection = connect(None, [], 2)
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

    def test_unfit_worker_is_named_once_and_without_others_the_run_ends(self) -> None:
        def stand_in(_spec: Any, _number: int, _mode: str) -> dict[str, Any]:
            from distributed import get_worker

            return _fail(get_worker().address, "unfit", "the folder is not mounted")

        connection = connect(None, [], 2)
        self.addCleanup(connection.close)
        with self.assertRaisesRegex(Refusal, "No worker can render the film: .* the folder is not mounted"):
            self.schedule(connection, stand_in).run(range(50), "seek")
        self.assertLessEqual(len(self.failures), 2)

    def test_segment_that_the_scheduler_has_forgotten_is_submitted_again(self) -> None:
        def stand_in(_spec: Any, _number: int, _mode: str) -> dict[str, Any]:
            from distributed import get_worker

            threading.Event().wait(0.2)
            return _done(get_worker().address)

        connection = connect(None, [], 1)
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
        """Dask lists five workers unless it is asked for more."""
        workers = {f"tcp://10.0.0.{number}:1": {} for number in range(9)}

        def scheduler_info(n_workers: int = 5) -> dict[str, Any]:
            names = list(workers)[:n_workers] if n_workers >= 0 else list(workers)
            return {"workers": {name: workers[name] for name in names}}

        self.assertEqual(all_workers(SimpleNamespace(scheduler_info=scheduler_info)), workers)
        self.assertEqual(all_workers(SimpleNamespace(scheduler_info=lambda: {"workers": workers})), workers)

    def test_processors_are_shared(self) -> None:
        self.assertEqual(share_processors([0, 1, 2, 3, 4], 2), {"0": [0, 1], "1": [2, 3, 4]})
        self.assertEqual(share_processors([4, 7], 3), {"0": [4], "1": [7], "2": [4]})


class JointTests(unittest.TestCase):
    """Eight segments on one worker; the result of each says how its source was read."""

    def render(self, wrong: dict[int, dict[str, list[int]]], late: int | None = None,
               until: tuple[int, str] = (-1, "")) -> list[tuple[int, str]]:
        """Renders with segments that are wrong after a seek; returns the order in which they were rendered.

        A task of an earlier run completes the segment `late` while segment 2 is rendered. One segment waits `until` a
        text is in the manifest.
        """
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        order = Path(folder.name) / "order"
        results = {number: vars(result(number)) for number in range(8)}

        def stand_in(_spec: str, number: int, mode: str) -> dict[str, Any]:
            with open(order, "a", encoding="utf-8") as file:
                file.write(json.dumps([number, mode]) + "\n")
            if number == 2 and late is not None:
                finish(part, "job", late_result)
            end = time.monotonic() + 20
            while number == until[0] and until[1] not in manifest.read_text() and time.monotonic() < end:
                threading.Event().wait(0.02)
            threading.Event().wait(0.05)
            changes = wrong.get(number, {}) if mode == "seek" else {}
            return {"result": {**results[number], "mode": mode, **changes}, "worker": "w", "host": "h", "seconds": 0.1}

        workspace = Workspace(Path(folder.name) / "film.batch")
        workspace.open(restart=True)
        self.addCleanup(workspace.close)
        manifest, part, late_result = workspace.folder / "manifest", None, {}
        if late is not None:
            part = workspace.path(f"{late:06}-late.part")
            writer = PacketWriter(part)
            writer.begin({})
            late_result = {**results[late], "digest": writer.end()}
            workspace.late = {part.stem: late}
        job = {"id": "job", "mode": "seek", "step": 10, "origin": 0, "filter": "identity", "verify": False}
        workspace.begin(job)
        film = Study(job, index(80), "", [], "", {}, 0, [])
        connection = connect(None, [], 1)
        self.addCleanup(connection.close)
        with mock.patch("render.task.render_segment", stand_in):
            rendering = Rendering(connection, film, workspace, Screen())
        rendering.run()
        self.assertEqual(sorted(workspace.manifest.results), list(range(8)))
        return [tuple(json.loads(line)) for line in order.read_text().splitlines()]

    def test_later_segment_is_rendered_again_as_soon_as_it_differs(self) -> None:
        order = self.render({1: {"head": [99]}}, until=(2, '"forget":1'))
        self.assertEqual([entry for entry in order if entry[1] == "skip"], [(1, "skip")])
        self.assertLess(order.index((1, "skip")), order.index((7, "seek")))

    def test_segment_before_is_rendered_again_if_the_later_one_was_right(self) -> None:
        order = self.render({2: {"tail": [99]}})
        self.assertEqual([entry for entry in order if entry[1] == "skip"], [(3, "skip"), (2, "skip")])

    def test_segment_that_a_task_of_an_earlier_run_completes_is_used(self) -> None:
        with mock.patch("render.rendering._LATE_SECONDS", 0):
            order = self.render({}, late=3, until=(7, "000003-late.seg"))
        self.assertEqual(order, [(number, "seek") for number in (0, 1, 2, 4, 5, 6, 7)])

    def test_filter_that_needs_a_lead_in_is_refused_early(self) -> None:
        with self.assertRaisesRegex(Refusal, "needs --lead-in"):
            with mock.patch("render.rendering.is_open", lambda *_: True):
                self.render({})


class VerificationTests(unittest.TestCase):
    """Three segments of ten frames; the workers leave before the joined film is decoded."""

    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.said: list[str] = []
        screen = SimpleNamespace(say=self.said.append, show=lambda _: None, clear=lambda: None)
        results = {number: result(number, opening=f"pictures of {number}") for number in range(3)}
        workspace = SimpleNamespace(folder=Path(folder.name), code="", manifest=SimpleNamespace(results=results))
        connection = connect(None, [], 1)
        self.addCleanup(connection.close)
        connection.client.retire_workers(list(connection.workers()))
        wait_until(lambda: not all_workers(connection.client))
        connection._asked = 0.0
        self.verification = Verification(connection, workspace, SimpleNamespace(cuts=Cuts(30, 10)), Path("film.mkv"),
                                         range(30), False, screen)

    def fault(self, tool: Callable[[list[dict[str, int]]], dict[str, Any]]) -> str | None:
        with mock.patch("render.verification._PATIENCE_SECONDS", 0.1), \
                mock.patch("render.verification.run_tool", lambda _code, _name, arguments: tool(arguments["parts"])):
            return self.verification.fault()

    def test_this_machine_decodes_the_film(self) -> None:
        self.assertIsNone(self.fault(lambda parts: {
            "result": {str(part["number"]): f"pictures of {part['number']}" for part in parts}}))
        self.assertEqual(self.said, ["No worker is left: this machine decodes the rest of the joined film."])

    def test_difference_is_named(self) -> None:
        fault = self.fault(lambda parts: {"result": {str(part["number"]): "pictures of 0" for part in parts}})
        self.assertIn("are not those of segment 1", fault)

    def test_film_that_cannot_be_decoded_is_not_called_wrong(self) -> None:
        with self.assertRaisesRegex(Refusal, "film.mkv cannot be verified: killed"):
            self.fault(lambda _: {"failure": {"kind": "crash", "text": "killed"}})


class HostTests(unittest.TestCase):
    def test_hosts_of_ssh_render_a_film(self) -> None:
        """The folder `ssh` has an asyncssh whose hosts are this machine."""
        batch = Batch()
        self.addCleanup(batch.close)
        batch.environment["PYTHONPATH"] += f":{Path(__file__).parent / 'ssh'}"
        source, output = batch.clip("short.mkv"), batch.folder / "out.mkv"
        run = subprocess.run(
            ["/usr/bin/python3", "-m", "render", source, output, "--ssh-hosts", "localhost,127.0.0.1", "--filter",
             "identity", "--encoder", LOSSLESS, "--segment", "400ms"],
            env=batch.environment, capture_output=True, text=True, timeout=100)
        self.assertEqual(run.returncode, 0, run.stdout + run.stderr)
        self.assertIn("3 segments of 10 frames on 2 workers", run.stdout)
        self.assertEqual(frame_sums(output), frame_sums(batch.reference(source, filter_="identity")))


if __name__ == "__main__":
    unittest.main()
