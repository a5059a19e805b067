"""Processes of GStreamer that are stuck."""

import os
import time
import unittest
from unittest import mock

from support import TOP, Batch

from render.tool import run_tool


class StuckTests(unittest.TestCase):
    """Calls of GStreamer that do not return, in processes that have stalled after a second."""

    def setUp(self) -> None:
        environment = mock.patch.dict(os.environ, {"BATCH_STALL_SECONDS": "1"})
        environment.start()
        self.addCleanup(environment.stop)

    def test_element_that_does_not_return_ends_the_task(self) -> None:
        """A state change waits for the element, which sleeps for a minute with each frame."""
        began = time.monotonic()
        answer = run_tool(str(TOP / "pipelines"), "prove", {
            "job": {"versions": {}, "filter": "identity sleep-time=60000000", "lead_in": 0},
            "caps": "video/x-raw,format=I420,width=16,height=16,framerate=25/1"})
        self.assertEqual(answer, {"failure": {"kind": "media", "text": "The pipeline has not moved a frame for 1 s."}})
        self.assertLess(time.monotonic() - began, 30)

    def test_process_whose_pipeline_does_not_start_is_ended(self) -> None:
        """To open a named pipe takes as long as there is no writer."""
        batch = Batch()
        self.addCleanup(batch.close)
        pipe = batch.folder / "pipe"
        os.mkfifo(pipe)
        with mock.patch("render.tool.SILENCE_SECONDS", 5.0):
            answer = run_tool(str(TOP / "pipelines"), "watch", {"path": str(pipe), "parts": []})
        self.assertIn("it reported nothing for 5 s", answer["failure"]["text"])


if __name__ == "__main__":
    unittest.main()
