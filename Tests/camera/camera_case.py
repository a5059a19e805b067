"""Runs pipelines/camera-lock on a camera that fake-camera.c simulates."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path
from typing import Callable

HERE = Path(__file__).resolve().parent
SCRIPT = HERE.parent.parent / "pipelines/camera-lock"
sys.path.insert(0, str(HERE.parent))

from patience import PATIENCE  # noqa: E402

# Controls of a USB camera in automatic mode. The exposure time of 62.4 ms permits 16 frames/s.
CAMERA = """\
980900 1 0 255 1 128 0 0 0 0 Brightness
98090c 2 0 1 1 1 0 0 0 0 White Balance, Automatic
980913 1 0 255 1 64 0 0 0 0 Gain
98091a 1 2800 6500 10 4610 0 0 98090c 0 White Balance Temperature
9a0901 3 0 3 1 3 0 0 0 0 Auto Exposure
9a0902 1 3 2047 1 624 0 0 9a0901 1 Exposure Time, Absolute
9a0903 2 0 1 1 1 0 0 0 0 Exposure, Dynamic Framerate
9a090a 1 0 250 5 30 0 0 9a090c 0 Focus, Absolute
9a090c 2 0 1 1 1 0 0 0 0 Focus, Automatic Continuous
a046d05 3 0 3 1 3 0 0 0 0 LED1 Mode
"""


class CameraCase(unittest.TestCase):
    """Compiles the simulated camera once. Each test has its own camera file."""

    library: Path
    folder: Path

    @classmethod
    def setUpClass(cls) -> None:
        cls.folder = Path(tempfile.mkdtemp(prefix="camera-"))
        cls.library = cls.folder / "fake-camera.so"
        flags = ["-shared", "-fPIC", "-Wall", "-Werror"]
        subprocess.run(["cc", *flags, "-o", cls.library, HERE / "fake-camera.c", "-ldl"], check=True)

    @classmethod
    def tearDownClass(cls) -> None:
        subprocess.run(["rm", "-rf", cls.folder], check=True)

    def setUp(self) -> None:
        self.camera = self.folder / self.id()
        self.plug(CAMERA)

    def plug(self, text: str) -> None:
        self.camera.write_text(text, encoding="ascii")

    def without(self, *ids: str) -> str:
        return "".join(line for line in CAMERA.splitlines(True) if line.split()[0] not in ids)

    def start(
            self, *arguments: str, before: Callable[[], None] | None = None, **environment: str
            ) -> subprocess.Popen[str]:
        """Starts the script. `before` runs in the child process before the script."""
        return subprocess.Popen(
            [SCRIPT, f"device={self.camera}", *arguments], text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
            env=os.environ | {"LD_PRELOAD": str(self.library), "FAKE_CAMERA": str(self.camera)} | environment,
            preexec_fn=before)

    def run_it(self, *arguments: str, **environment: str) -> tuple[int, str]:
        child = self.start(*arguments, **environment)
        output, _ = child.communicate(timeout=PATIENCE)
        return child.returncode, output

    def values(self) -> dict[str, int]:
        return {line.split()[0]: int(line.split()[5]) for line in self.camera.read_text("ascii").splitlines()}

    def calls(self) -> list[str]:
        return Path(f"{self.camera}.log").read_text("ascii").split()

    def during(self, *settings: str) -> tuple[dict[str, int], int, str]:
        """Runs the script with a command. Returns the camera's values during the command, the status and the output."""
        copy = f"{self.camera}.during"
        status, output = self.run_it(*settings, "--", "cp", str(self.camera), copy)
        values = {line.split()[0]: int(line.split()[5]) for line in Path(copy).read_text("ascii").splitlines()}
        return values, status, output

    def interrupted(self, number: signal.Signals, *arguments: str) -> tuple[int, str]:
        child = self.start(*arguments)
        lines = []
        for line in child.stdout:
            lines.append(line)
            if "until Ctrl-C" in line:
                child.send_signal(number)
        child.stdout.close()
        return child.wait(timeout=PATIENCE), "".join(lines)
