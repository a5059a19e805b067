"""The program pipelines/look in this process, with a window on a virtual display."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
import time
import unittest
from collections.abc import Callable
from functools import cache
from pathlib import Path

TOP = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(TOP / "pipelines"), str(TOP / "Tests")]
CLIP = TOP / "pipelines/media/bigbuckbunny.webm"

# Presets that a test saves are in a folder of their own. All of this is set before GStreamer and GTK are initialized.
HOME = tempfile.TemporaryDirectory(prefix="look home ")
os.environ |= {
    "XDG_DATA_HOME": HOME.name, "GST_PRESET_PATH": str(TOP / "presets"), "GDK_BACKEND": "x11", "GSK_RENDERER": "cairo",
    "GTK_A11Y": "test", "GDK_DEBUG": "gl-disable", "GSETTINGS_BACKEND": "memory", "GTK_USE_PORTAL": "0",
    "DBUS_SESSION_BUS_ADDRESS": "disabled:", "ADW_DISABLE_PORTAL": "1", "G_DEBUG": "fatal-criticals"}
os.environ.pop("WAYLAND_DISPLAY", None)

import gi  # noqa: E402

from patience import PATIENCE  # noqa: E402


def _missing() -> str:
    """The reason why no window can be opened, or an empty text."""
    try:
        for name, version in (("Gst", "1.0"), ("Gdk", "4.0"), ("Gtk", "4.0"), ("Adw", "1")):
            gi.require_version(name, version)
    except ValueError as error:
        return f"GTK 4 or libadwaita is missing: {error}"
    return "" if shutil.which("Xvfb") else "Xvfb, the virtual display, is missing."


MISSING = _missing()
needs_window = unittest.skipIf(MISSING, MISSING)


def make_film(path: Path, seconds: int = 2, size: str = "320x240", *options: str) -> Path:
    """A film of 25 frames per second with sound."""
    subprocess.run(["ffmpeg", "-v", "error", "-f", "lavfi", "-i", f"testsrc2=s={size}:r=25:d={seconds}", "-f", "lavfi",
                    "-i", f"sine=r=48000:d={seconds}", "-c:v", "libx264", "-g", "50", "-pix_fmt", "yuv420p", *options,
                    "-c:a", "flac", "-y", path], check=True, timeout=PATIENCE)
    return path


@cache
def start_display(size: str = "1280x900") -> subprocess.Popen:
    """Starts an X server without a screen, and sets DISPLAY. GTK ends the process if its display ends."""
    read, write = os.pipe()
    # The server ends with this process.
    server = subprocess.Popen(["setpriv", "--pdeathsig", "TERM", "Xvfb", "-displayfd", str(write), "-screen", "0",
                               f"{size}x24", "-nolisten", "tcp"], pass_fds=[write], stdin=subprocess.DEVNULL,
                              stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    os.close(write)
    with os.fdopen(read) as numbers:
        os.environ["DISPLAY"] = f":{numbers.readline().strip()}"
    return server


@needs_window
class LookCase(unittest.TestCase):
    """Each test has a folder, a window of its own, and the clip, paused in its second second."""

    clip: Path = CLIP

    @classmethod
    def setUpClass(cls) -> None:
        start_display()

    def setUp(self) -> None:
        from preview.__main__ import application
        from preview.look import Source

        folder = tempfile.TemporaryDirectory(prefix="look film ")
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.said: list[str] = []
        self.program = application(["speaker=fakesink sync=true"])
        self.program.register(None)
        self.program.activate()
        self.window, = self.program.get_windows()
        say = self.window.say
        self.window.say = lambda text: (self.said.append(text), say(text))
        self.window.player.on_fault = self.window.say
        self.addCleanup(self.close)
        self.open(Source(str(self.clip)))
        self.pause_at(1.25)

    def close(self) -> None:
        if self.window in self.program.get_windows():
            self.window.close()
        self.until(lambda: not self.program.get_windows(), "the window closes")

    def act(self, name: str) -> None:
        """Does what a key or a menu does."""
        self.window.lookup_action(name).activate(None)

    def open(self, source: object) -> None:
        self.window.open_source(source)
        self.until(lambda: self.window.source is source and self.window.rendered is not None, "the source is open")

    def pause_at(self, seconds: float) -> None:
        """Pauses, and waits until the frame at this time is shown in the size of the film."""
        window, clock = self.window, round(seconds * 1e9)
        window.set_playing(False)
        window.player.seek(clock)
        frame = window.facts.frame_duration
        self.until(lambda: not window.rendered.shot.is_playing and window.rendered.right.height == window.facts.height
                   and abs(window.rendered.shot.position - clock) <= frame, f"{seconds} s is shown")
        self.drawn()

    def drawn(self) -> bytes:
        """Waits until the present look is shown. Returns the pixels."""
        window = self.window
        self.until(lambda: window.rendered.wish.look == window.look.picture, "the look is shown")
        return window.rendered.right.data

    def until(self, condition: Callable[[], bool], what: str) -> None:
        from gi.repository import GLib

        deadline, context = time.monotonic() + PATIENCE, GLib.MainContext.default()
        tick = GLib.timeout_add(10, lambda: True)
        while not condition():
            context.iteration(True)
            if time.monotonic() > deadline:
                self.fail(f"It does not happen that {what}. {self.said}")
        GLib.source_remove(tick)
