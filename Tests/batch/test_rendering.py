"""Tests mismatching joints, late segments, and verification, with stand-ins for rendering and decoding."""

import json
import tempfile
import threading
import time
import unittest
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from unittest import mock

from support import PATIENCE, dask_workers, index, result, wait_until

from render.cluster import all_workers, connect_locally
from render.finished import finish
from render.packets import PacketWriter
from render.plan import Cuts
from render.preflight import spec_of
from render.refusal import Refusal
from render.rendering import Rendering
from render.screen import Screen
from render.study import Study
from render.verification import Verification
from render.workspace import Workspace


class JointTests(unittest.TestCase):
    """Renders eight segments on one worker. The stand-in for rendering records the mode of each segment."""

    def render(self, wrong: dict[int, dict[str, list[int]]], late: int | None = None,
               until: tuple[int, str] = (-1, "")) -> list[tuple[int, str]]:
        """Renders the segments. Returns their numbers and modes in the order of rendering.

        `wrong` changes results of segments that are rendered after a seek. A task of an earlier run completes segment
        `late` while segment 2 is rendered. Segment `until[0]` waits until the manifest contains the text `until[1]`.
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
            end = time.monotonic() + PATIENCE
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
            part = workspace.path(f"{late:06}-{'1' * 12}.part")
            writer = PacketWriter(part)
            late_result = {**results[late], "digest": writer.end()}
            workspace.late = {part.stem: late}
        job = {"id": "job", "mode": "seek", "step": 10, "origin": 0, "filter": "identity", "verify": False}
        workspace.begin(job)
        film = Study(job, index(80), "", [], "", {}, 0, [])
        connection = connect_locally(1)
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

    def test_earlier_segment_is_rendered_again_if_the_later_one_was_right(self) -> None:
        order = self.render({2: {"tail": [99]}})
        self.assertEqual([entry for entry in order if entry[1] == "skip"], [(3, "skip"), (2, "skip")])

    def test_segment_that_a_task_of_an_earlier_run_completes_is_used(self) -> None:
        with mock.patch("render.rendering._LATE_SECONDS", 0):
            order = self.render({}, late=3, until=(7, "000003-111111111111.seg"))
        self.assertEqual(order, [(number, "seek") for number in (0, 1, 2, 4, 5, 6, 7)])

    def test_spec_records_that_an_earlier_run_has_used_other_machines(self) -> None:
        """Tasks on other machines may still be in progress during several later runs on this machine."""
        film = SimpleNamespace(job={"verify": False}, fingerprint="", caps="", pictures={})
        with tempfile.TemporaryDirectory() as folder:
            for is_local, was_remote in ((True, False), (False, True), (True, True), (True, True)):
                workspace = Workspace(Path(folder))
                workspace.find_late()
                connection = SimpleNamespace(is_local=is_local, processors={})
                workspace.write_spec(spec_of(film, workspace, connection))
                self.assertEqual(json.loads((Path(folder) / "spec").read_text())["was_remote"], was_remote)

    def test_filter_that_needs_a_lead_in_is_refused_early(self) -> None:
        with self.assertRaisesRegex(Refusal, "needs --lead-in"):
            with mock.patch("render.rendering.is_open", lambda *_: True):
                self.render({})


def _pictures(parts: list[dict[str, int]]) -> dict[str, Any]:
    return {"result": {str(part["number"]): f"pictures of {part['number']}" for part in parts}}


class VerificationTests(unittest.TestCase):
    """Verifies a film of three segments with ten frames each."""

    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.said: list[str] = []
        screen = SimpleNamespace(say=self.said.append, show=lambda _: None, clear=lambda: None)
        results = {number: result(number, opening=f"pictures of {number}") for number in range(3)}
        workspace = SimpleNamespace(folder=Path(folder.name), code="", segments="", index="", run="", was_remote=False,
                                    manifest=SimpleNamespace(results=results))
        self.connection = dask_workers(1)
        self.addCleanup(self.connection.close)
        film = SimpleNamespace(cuts=Cuts(30, 10), job={"verify": True}, fingerprint="", caps="",
                               pictures={"encoded": "0", "sample": {}})
        self.verification = Verification(self.connection, workspace, film, Path("film.mkv"), range(30), False, screen)

    def retire_workers(self) -> None:
        self.connection.client.retire_workers(list(self.connection.workers()))
        wait_until(lambda: not all_workers(self.connection.client))
        self.connection._asked = 0.0

    def fault(self, tool: Callable[[list[dict[str, int]]], dict[str, Any]]) -> str | None:
        with mock.patch("render.verification._PATIENCE_SECONDS", 0.1), \
                mock.patch("render.verification.run_tool", lambda _code, _name, arguments: tool(arguments["parts"])):
            return self.verification.fault()

    def test_this_machine_decodes_the_film_if_no_worker_is_left(self) -> None:
        self.retire_workers()
        self.assertIsNone(self.fault(_pictures))
        self.assertEqual(self.said, ["No worker is left: this machine decodes the rest of the joined film."])

    def test_this_machine_decodes_the_film_if_no_worker_is_fit(self) -> None:
        def watch_film(_spec: str, _number: int, _mode: str) -> dict[str, Any]:
            from distributed import get_worker

            return {"failure": {"kind": "unfit", "text": "no decoder"}, "worker": get_worker().address, "host": "h"}

        with mock.patch("render.task.watch_film", watch_film):
            self.assertIsNone(self.fault(_pictures))
        self.assertEqual(self.said, ["Verification of segments 0 to 2: h: no decoder",
                                     "No worker is fit: this machine decodes the rest of the joined film."])

    def test_difference_is_named(self) -> None:
        self.retire_workers()
        fault = self.fault(lambda parts: {"result": {str(part["number"]): "pictures of 0" for part in parts}})
        self.assertIn("are not those of segment 1", fault)

    def test_failure_to_decode_is_not_reported_as_a_difference(self) -> None:
        self.retire_workers()
        with self.assertRaisesRegex(Refusal, "film.mkv cannot be verified: killed"):
            self.fault(lambda _: {"failure": {"kind": "crash", "text": "killed"}})


if __name__ == "__main__":
    unittest.main()
