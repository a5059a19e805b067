"""Tests of the end of pipelines/camera-lock: everything is restored, whatever ends it."""

from __future__ import annotations

import os
import pty
import signal
import unittest
from pathlib import Path

from camera_case import CAMERA, SCRIPT, CameraCase


class EndTest(CameraCase):
    def test_all_values_are_restored_in_reverse(self) -> None:
        before = self.values()
        status, output = self.run_it("exposure=10ms", "focus=20", "--", "true")
        self.assertEqual((status, self.values()), (0, before), output)
        self.assertEqual(self.calls(), [
            "009a0901=1", "009a0902=100", "009a090c=0", "009a090a=20",
            "009a090a=30", "009a090c=1", "009a0902=624", "009a0901=3"])
        self.assertIn("auto_exposure: 3 restored", output)

    def test_signals_restore(self) -> None:
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            with self.subTest(number):
                self.plug(CAMERA)
                before = self.values()
                status, output = self.interrupted(number)
                self.assertEqual((status, self.values()), (0, before), output)
                self.assertIn("exposure_time_absolute: 624 restored", output)

    def test_a_signal_ends_the_command_before_the_values_are_restored(self) -> None:
        before = self.values()
        command = "trap 'cat \"$FAKE_CAMERA\" >\"$FAKE_CAMERA.end\"; exit 5' INT; echo ready; while :; do :; done"
        child = self.start("gain=30", "--", "sh", "-c", command)
        for line in child.stdout:
            if line == "ready\n":
                child.send_signal(signal.SIGINT)
        child.stdout.close()
        self.assertEqual(child.wait(timeout=60), 5)
        self.assertIn("980913 1 0 255 1 30 ", Path(f"{self.camera}.end").read_text("ascii"))
        self.assertEqual(self.values(), before)

    @unittest.skipUnless(os.path.exists("/dev/ptmx"), "this system provides no pseudo terminals")
    def test_ctrl_c_of_a_terminal_reaches_the_command_once(self) -> None:
        before = self.values()
        loop = "until [ \"$line\" = over ]; do read line && echo \"<$line>\"; done"
        script = f"trap 'echo caught' INT; echo ready; {loop}"
        child, terminal = pty.fork()
        if child == 0:
            os.environ.update(LD_PRELOAD=str(self.library), FAKE_CAMERA=str(self.camera))
            os.execv(SCRIPT, [str(SCRIPT), f"device={self.camera}", "gain=30", "--", "sh", "-c", script])
        output = b""
        try:
            while more := os.read(terminal, 4096):
                output += more
                if b"ready" in more:
                    os.write(terminal, b"\x03")
                if b"caught" in more:
                    os.write(terminal, b"again\n")
                if b"<again>" in more:
                    os.write(terminal, b"over\n")
        except OSError:
            # The terminal is closed when the last program has ended.
            pass
        os.close(terminal)
        self.assertEqual(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), 0, output)
        self.assertEqual((output.count(b"caught"), self.values()), (1, before), output)

    def test_the_exit_status_is_that_of_the_command(self) -> None:
        for command, wanted in (
                (["sh", "-c", "exit 3"], 3), (["sh", "-c", "kill -9 $$"], 137), (["no-such-program"], 127)):
            with self.subTest(command):
                before = self.values()
                status, output = self.run_it("gain=30", "--", *command)
                self.assertEqual((status, self.values()), (wanted, before), output)

    def test_a_camera_that_is_unplugged_is_said(self) -> None:
        status, output = self.run_it("gain=30", "--", "touch", f"{self.camera}.gone")
        self.assertIn("gain: 64 could not be restored: No such device (the camera is gone)", output)
        self.assertEqual(status, 0, output)


if __name__ == "__main__":
    unittest.main()
