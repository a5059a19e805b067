"""Tests that pipelines/camera-lock restores all values at its end, regardless of the cause."""

from __future__ import annotations

import os
import pty
import signal
import sys
import threading
import unittest
from pathlib import Path
from types import SimpleNamespace

from camera_case import CAMERA, PATIENCE, SCRIPT, CameraCase

sys.path.insert(0, str(SCRIPT.parent))

from command import has_reached_command  # noqa: E402


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
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT):
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
        self.assertEqual(child.wait(timeout=PATIENCE), 5)
        self.assertIn("980913 1 0 255 1 30 ", Path(f"{self.camera}.end").read_text("ascii"))
        self.assertEqual(self.values(), before)

    def on_terminal(self, *arguments: str) -> tuple[int, int]:
        """Starts the script as the session leader of a new terminal. Returns the process and the terminal."""
        try:
            child, terminal = pty.fork()
        # pty.fork() fails in a chroot that has /dev/ptmx but no /dev/pts.
        except OSError as error:
            self.skipTest(f"no pseudo terminal: {error}")
        if child == 0:
            os.environ.update(LD_PRELOAD=str(self.library), FAKE_CAMERA=str(self.camera))
            os.execv(SCRIPT, [str(SCRIPT), f"device={self.camera}", *arguments])
        return child, terminal

    @unittest.skipUnless(os.path.exists("/dev/ptmx"), "this system provides no pseudo terminals")
    def test_a_closed_terminal_ends_the_command_and_restores_everything(self) -> None:
        for command, wanted in (((), 0), (("--", "sh", "-c", "echo until Ctrl-C; exec tail -f /dev/null"), 129)):
            with self.subTest(command):
                self.plug(CAMERA)
                before = self.values()
                child, terminal = self.on_terminal("exposure=10ms", "gain=30", *command)
                output = b""
                while b"until Ctrl-C" not in output:
                    output += os.read(terminal, 4096)
                os.close(terminal)
                watchdog = threading.Timer(60, os.kill, (child, signal.SIGKILL))
                watchdog.start()
                status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
                watchdog.cancel()
                self.assertEqual((status, self.values()), (wanted, before), output)

    def test_values_are_restored_although_the_output_is_closed(self) -> None:
        before = self.values()
        os.mkfifo(f"{self.camera}.read")
        child = self.start("exposure=10ms", "gain=30", "--", "sh", "-c", "read line <\"$FAKE_CAMERA.read\"; exit 4")
        child.stdout.readline()
        child.stdout.close()
        with open(f"{self.camera}.read", "w", encoding="ascii") as file:
            file.write("closed\n")
        self.assertEqual((child.wait(timeout=PATIENCE), self.values()), (4, before))

    def test_only_signals_of_the_terminal_also_reach_the_command(self) -> None:
        """si_pid is 0 for a signal from the kernel, and also for a process outside of the PID namespace."""
        kernel, process = 128, 0
        for number, code, wanted in (
                (signal.SIGINT, kernel, True), (signal.SIGQUIT, kernel, True), (signal.SIGHUP, kernel, False),
                (signal.SIGTERM, process, False), (signal.SIGINT, process, False)):
            found = SimpleNamespace(si_signo=number, si_code=code, si_pid=0)
            self.assertEqual(has_reached_command(found), wanted, found)

    def test_a_signal_while_values_are_set_is_not_lost(self) -> None:
        def send() -> None:
            signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
            os.kill(os.getpid(), signal.SIGINT)

        before = self.values()
        child = self.start("gain=30", "--", "touch", f"{self.camera}.ran", before=send)
        output, _ = child.communicate(timeout=PATIENCE)
        self.assertEqual((child.returncode, self.values()), (130, before), output)
        self.assertFalse(os.path.exists(f"{self.camera}.ran"), output)

    def test_a_signal_that_is_ignored_is_not_passed_on(self) -> None:
        """Under nohup, the script ignores SIGHUP."""
        command = ("import signal; ends = {signal.SIGHUP, signal.SIGTERM}; "
                   "signal.pthread_sigmask(signal.SIG_BLOCK, ends); print('ready', flush=True); "
                   "print('first', signal.sigwait(ends).name)")
        child = self.start("gain=30", "--", sys.executable, "-c", command,
                           before=lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN))
        output = ""
        for line in child.stdout:
            output += line
            if line == "ready\n":
                child.send_signal(signal.SIGHUP)
                child.terminate()
        child.stdout.close()
        self.assertEqual(child.wait(timeout=PATIENCE), 0, output)
        self.assertIn("first SIGTERM", output)

    def test_a_manual_value_is_restored_after_automatic_mode(self) -> None:
        self.plug(CAMERA.replace("9a0901 3 0 3 1 3", "9a0901 3 0 3 1 1"))
        before = self.values()
        status, output = self.run_it("exposure=auto", "white-balance=auto", "--", "true", FAKE_DRIFT="1")
        self.assertEqual((status, self.values()), (0, before), output)
        self.assertEqual(self.calls(), ["009a0901=3", "0098090c=1", "0098090c=1", "009a0901=1", "009a0902=624"])

    @unittest.skipUnless(os.path.exists("/dev/ptmx"), "this system provides no pseudo terminals")
    def test_ctrl_c_of_a_terminal_reaches_the_command_once(self) -> None:
        before = self.values()
        loop = "until [ \"$line\" = over ]; do read line && echo \"<$line>\"; done"
        script = f"trap 'echo caught' INT; echo ready; {loop}"
        child, terminal = self.on_terminal("gain=30", "--", "sh", "-c", script)
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
            # read() fails when the last program on the terminal has ended.
            pass
        os.close(terminal)
        self.assertEqual(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), 0, output)
        self.assertEqual((output.count(b"caught"), self.values()), (1, before), output)

    def test_the_exit_status_is_the_status_of_the_command(self) -> None:
        for command, wanted in (
                (["sh", "-c", "exit 3"], 3), (["sh", "-c", "kill -9 $$"], 137), (["no-such-program"], 127)):
            with self.subTest(command):
                before = self.values()
                status, output = self.run_it("gain=30", "--", *command)
                self.assertEqual((status, self.values()), (wanted, before), output)

    def test_an_unplugged_camera_is_reported(self) -> None:
        status, output = self.run_it("gain=30", "--", "touch", f"{self.camera}.gone")
        self.assertIn("gain: 64 could not be restored: No such device (the camera is gone)", output)
        self.assertEqual(status, 0, output)


if __name__ == "__main__":
    unittest.main()
