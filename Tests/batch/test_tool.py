"""Tests how the program handles processes of tasks that block, print text, or end early."""

import base64
import io
import os
import subprocess
import tempfile
import textwrap
import time
import unittest
import zipfile
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from unittest import mock

from support import PATIENCE, TOP, Batch, poison

from render.media import report
from render.media.player import Player
from render.tool import packed, run_tool


_CAPS = "video/x-raw,format=I420,width=16,height=16,framerate=25/1"


class OutputTests(unittest.TestCase):
    def test_text_that_an_element_prints_is_not_an_answer(self) -> None:
        """The task plays the filter, which prints text, before it fails at the missing source."""
        answer = run_tool(packed(), "prove", {
            "job": {"versions": {}, "filter": "progressreport", "tags": "", "lead_in": 0, "source": "/no/such/film",
                    "stream": "", "reading": []}, "caps": _CAPS})
        self.assertIn("/no/such/film", answer["failure"]["text"])

    def test_standard_output_of_a_task_has_answers_only(self) -> None:
        run = subprocess.run(
            ["/usr/bin/python3", "-c", "import os\nfrom render.media.report import take_output, write\ntake_output()\n"
             "os.write(1, b'text')\nwrite({'result': 5})"],
            env={**os.environ, "PYTHONPATH": str(TOP / "pipelines")}, capture_output=True, text=True, timeout=PATIENCE)
        self.assertEqual((run.stdout, run.stderr), ('{"result": 5}\n', "text"))

    def test_lines_that_are_not_objects_are_ignored(self) -> None:
        archive = io.BytesIO()
        with zipfile.ZipFile(archive, "w") as file:
            file.writestr("render/__init__.py", "")
            file.writestr("render/media.py", "input()\nfor line in ('[1]', '7', 'null', 'text', '', '{%s: 5}'):\n"
                                             "    print(line)\n" % '"result"')
        self.assertEqual(run_tool(base64.b64encode(archive.getvalue()).decode(), "any", {}), {"result": 5})

    def test_modules_in_other_folders_are_not_imported(self) -> None:
        """In particular, modules in the current folder, which may be shared, are not imported."""
        code = packed()
        with tempfile.TemporaryDirectory() as folder:
            trace = poison(Path(folder))
            here = os.getcwd()
            self.addCleanup(os.chdir, here)
            os.chdir(folder)
            with mock.patch.dict(os.environ, {"PYTHONPATH": folder}):
                answer = run_tool(code, "inspect", {"filter": "identity", "encoder": "vp8enc", "muxer": "webmmux"})
            self.assertEqual(answer["result"]["filters"], ["identity"])
            self.assertFalse(trace.exists())

    def test_code_is_compiled_and_complete(self) -> None:
        with zipfile.ZipFile(io.BytesIO(base64.b64decode(packed()))) as file:
            names = set(file.namelist())
        self.assertIn("render/media/__main__.pyc", names)
        self.assertLess(len(packed()), 300_000)

    def test_process_that_ends_before_it_reads_its_arguments_is_named(self) -> None:
        """The pipe raises BrokenPipeError when the arguments are written, and again when it is closed."""
        def start(*_arguments: Any, stderr: Any, **_options: Any) -> SimpleNamespace:
            stderr.write(b"ImportError: no module gi\n")
            broken = mock.Mock(side_effect=BrokenPipeError)
            return SimpleNamespace(stdin=SimpleNamespace(write=broken, flush=broken, close=broken), stdout=output,
                                   kill=lambda: None, wait=lambda: 1)

        output = io.StringIO()
        with mock.patch("subprocess.Popen", start):
            answer = run_tool("", "any", {})
        self.assertEqual(answer["failure"]["text"], "The process ended with status 1: ImportError: no module gi")
        self.assertTrue(output.closed)


class StuckTests(unittest.TestCase):
    """Runs tasks in which a call of GStreamer does not return. A pipeline counts as stalled after 1 s."""

    def setUp(self) -> None:
        environment = mock.patch.dict(os.environ, {"BATCH_STALL_SECONDS": "1"})
        environment.start()
        self.addCleanup(environment.stop)

    def test_element_that_does_not_return_ends_the_task(self) -> None:
        """The element sleeps for 10 min per frame, and blocks the state change of the pipeline."""
        began = time.monotonic()
        answer = run_tool(packed(), "prove", {
            "job": {"versions": {}, "filter": "identity sleep-time=600000000", "tags": "", "lead_in": 0}, "caps": _CAPS})
        self.assertEqual(answer, {"failure": {"kind": "media", "text": "The pipeline has not moved a frame for 1 s."}})
        self.assertLess(time.monotonic() - began, 600)

    def test_process_whose_pipeline_does_not_start_is_ended(self) -> None:
        """Opening a named pipe blocks until it has a writer."""
        batch = Batch()
        self.addCleanup(batch.close)
        pipe = batch.folder / "pipe"
        os.mkfifo(pipe)
        with mock.patch("render.tool.SILENCE_SECONDS", 5.0):
            answer = run_tool(packed(), "watch", {"path": str(pipe), "parts": []})
        self.assertIn("it reported nothing for 5 s", answer["failure"]["text"])


class SlowTests(unittest.TestCase):
    """Tests that work outside a pipeline, such as a slow fsync, does not count as a stall."""

    def test_stall_counts_only_while_a_pipeline_plays(self) -> None:
        player = Player(SimpleNamespace(set_state=lambda _state: None))
        with mock.patch("render.media.report.STALL_SECONDS", -1.0):
            self.assertFalse(report.is_stalled())
            for _ in range(2):
                # `watch` starts its pipeline again for each part.
                player.start()
                self.assertTrue(report.is_stalled())
            player.stop()
            self.assertFalse(report.is_stalled())
            player.stop()
            player.start()
            self.assertTrue(report.is_stalled())
            player.stop()

    def test_process_reports_life_during_slow_work(self) -> None:
        """The work lasts until the process has printed ten lines, which takes longer than the stall limit of 1 s."""
        code = textwrap.dedent("""
            import threading
            from render.media import report
            lines, write = threading.Semaphore(0), report.write
            report.write = lambda value: (write(value), lines.release())
            report.report_life()
            print(all(lines.acquire(timeout=10) for _ in range(10)))
            """)
        run = subprocess.run(
            ["/usr/bin/python3", "-c", code], capture_output=True, text=True, timeout=PATIENCE,
            env={**os.environ, "PYTHONPATH": str(TOP / "pipelines"), "BATCH_STALL_SECONDS": "1"})
        self.assertEqual(run.stdout.splitlines()[-1:], ["True"], run.stdout + run.stderr)


if __name__ == "__main__":
    unittest.main()
