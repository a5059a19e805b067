"""Tests settings, clamped and refused values, --list and --extra-controls of pipelines/camera-lock."""

from __future__ import annotations

import os
import signal
import subprocess
import unittest

from camera_case import CAMERA, PATIENCE, SCRIPT, CameraCase


class ValueTest(CameraCase):
    def test_every_setting_reaches_its_control(self) -> None:
        seen, status, output = self.during(
            "exposure=10ms", "dynamic-framerate=off", "white-balance=4600", "focus=20", "gain=30", "led=off",
            "0x980900=7")
        wanted = {"9a0901": 1, "9a0902": 100, "9a0903": 0, "98090c": 0, "98091a": 4600, "9a090c": 0, "9a090a": 20,
                  "980913": 30, "a046d05": 0, "980900": 7}
        self.assertEqual(seen, wanted, output)
        self.assertEqual(status, 0, output)
        self.assertIn("exposure_time_absolute: 624 -> 100\n", output)
        self.assertIn("10 ms, which permits at most 100 frames per second", output)

    def test_without_settings_everything_stays_as_it_is_now(self) -> None:
        seen, status, output = self.during()
        self.assertEqual((seen["9a0901"], seen["9a0902"], seen["9a0903"]), (1, 624, 0), output)
        self.assertEqual((seen["98090c"], seen["98091a"], seen["9a090c"], seen["9a090a"]), (0, 4610, 0, 30), output)
        self.assertIn("exposure_time_absolute: 62.4 ms, which permits at most 16 frames per second", output)
        self.assertIn("gain: 64, as before", output)
        self.assertEqual(status, 0, output)

    def test_automatic_selects_an_item_of_the_menu(self) -> None:
        for items, wanted in (("13", 3), ("01", 0)):
            with self.subTest(items):
                self.plug(CAMERA.replace("9a0901 3 0 3 1 3", "9a0901 3 0 3 1 1"))
                status, output = self.run_it("--keep", "exposure=auto", FAKE_MENU=items)
                self.assertEqual((status, self.values()["9a0901"]), (0, wanted), output)

    def test_a_clamped_value_is_reported(self) -> None:
        seen, status, output = self.during("exposure=900000", "white-balance=4606", "0x009a0903=7")
        self.assertEqual((seen["9a0902"], seen["98091a"], seen["9a0903"]), (2047, 4610, 1), output)
        self.assertIn("exposure_time_absolute: 900000 clamped to 2047; the range is 3 to 2047", output)
        self.assertIn("4606 clamped to 4610; the range is 2800 to 6500, in steps of 10", output)
        self.assertIn("exposure_dynamic_framerate: 7 clamped to 1; the range is 0 to 1", output)
        self.assertEqual(status, 0, output)

    def test_a_refused_value_is_reported_and_the_others_are_set(self) -> None:
        self.plug(CAMERA.replace("980913 1 0 255 1 64 0 0", "980913 1 0 255 1 64 0 16"))
        seen, _, output = self.during("gain=30", "focus=20", "led=9")
        self.assertEqual((seen["980913"], seen["9a090a"], seen["a046d05"]), (64, 20, 3), output)
        self.assertIn("gain: 30 refused: Device or resource busy (another program holds it", output)
        self.assertIn("led1_mode: 9 refused: Numerical result out of range (the range is 0 to 3)", output)

    def test_a_refusal_sets_the_exit_status_without_a_command(self) -> None:
        self.plug(CAMERA.replace("980913 1 0 255 1 64 0 0", "980913 1 0 255 1 64 4 0"))
        status, output = self.interrupted(signal.SIGINT, "gain=30")
        self.assertIn("gain: 30 refused: it can only be read", output)
        self.assertEqual(status, 1, output)

    def test_a_value_without_effect_is_reported(self) -> None:
        self.plug(CAMERA.replace("9a090a 1 0 250 5 30 0 0 9a090c 0", "9a090a 1 0 250 5 30 10 0 0 0"))
        _, _, output = self.during("focus=20")
        self.assertIn("focus_absolute: has no effect, because another control is automatic", output)

    def test_a_control_that_the_camera_lacks_is_reported(self) -> None:
        self.plug(self.without("9a090a", "9a090c", "a046d05"))
        seen, status, output = self.during("led=off", "gain=30")
        self.assertIn("led: the camera has no such control", output)
        self.assertEqual(seen["980913"], 30, output)

    def test_a_camera_without_automatic_controls_is_set(self) -> None:
        self.plug(self.without("9a0901", "98090c").replace("9a0901 1", "0 0").replace("98090c 0", "0 0"))
        seen, _, output = self.during("exposure=100", "white-balance=3000")
        self.assertEqual((seen["9a0902"], seen["98091a"]), (100, 3000), output)

    def test_extra_controls_prints_the_property_of_v4l2src(self) -> None:
        before = self.values()
        child = subprocess.run(
            [SCRIPT, f"device={self.camera}", "--extra-controls", "exposure=10ms", "dynamic-framerate=off"], text=True,
            capture_output=True, timeout=PATIENCE,
            env=os.environ | {"LD_PRELOAD": str(self.library), "FAKE_CAMERA": str(self.camera)})
        self.assertEqual(
            child.stdout,
            'extra-controls="c,auto_exposure=1,exposure_time_absolute=100,exposure_dynamic_framerate=0"\n',
            child.stderr)
        self.assertEqual((child.returncode, self.values()), (0, before), child.stderr)

    def test_keep_ends_at_once_and_restores_nothing(self) -> None:
        manual = CAMERA.replace("9a0901 3 0 3 1 3", "9a0901 3 0 3 1 1").replace("9a090c 2 0 1 1 1", "9a090c 2 0 1 1 0")
        self.plug(manual)
        status, output = self.run_it("--keep", "exposure=auto", "focus=auto", "gain=auto")
        self.assertEqual((self.values()["9a0901"], self.values()["9a090c"]), (3, 1), output)
        self.assertEqual((status, "gain: the camera has no such control" in output), (1, True), output)

    def test_the_list_has_every_control(self) -> None:
        status, output = self.run_it("--list")
        self.assertEqual(status, 0, output)
        self.assertIn("0x009a0903 exposure_dynamic_framerate              1   0 to 1\n", output)
        self.assertEqual(len(output.splitlines()), 11, output)

    def test_a_broken_control_does_not_hide_the_others(self) -> None:
        command = ["gain=30", "0x00980900=7", "0x0a046d05=0", "--", "true"]
        status, output = self.run_it(*command, FAKE_BROKEN="98091a")
        self.assertEqual(status, 0, output)
        self.assertIn("The camera does not list all its controls: Input/output error.", output)
        for line in ("gain: 64 -> 30", "brightness: 128 -> 7", "led1_mode: 3 -> 0"):
            self.assertIn(line, output)

    def test_mistakes_are_named(self) -> None:
        for arguments, answer in (
                (["exposrue=3"], "There is no setting exposrue"), (["gain=much"], "gain=much is not a number"),
                (["gain=99999999999"], "gain=99999999999 does not fit"), (["focus=10ms"], "focus=10ms is not a number"),
                (["--lst"], "There is no option --lst"),
                (["--keep", "--", "true"], "--keep runs no command"), (["--"], "There is no command after --"),
                (["device=/nowhere"], "/nowhere cannot be opened: No such file or directory"),
                (["device=/dev/null"], "/dev/null is not a V4L2 device")):
            with self.subTest(arguments):
                status, output = self.run_it(*arguments)
                self.assertIn(answer, output)
                self.assertEqual(status, 1, output)

    def test_a_device_without_pictures_is_refused(self) -> None:
        status, output = self.run_it(FAKE_METADATA="1")
        self.assertIn("(Fake Camera) does not capture video", output)
        self.assertEqual(status, 1, output)


if __name__ == "__main__":
    unittest.main()
