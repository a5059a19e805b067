"""Runs pipelines/batch, and shows its progress in a bar."""

from __future__ import annotations

import os
import pty
import re
import signal
import subprocess
import termios
from pathlib import Path

from gi.repository import GLib, Gtk, Pango

from . import texts
from .widgets import described, row

PROGRAM = Path(__file__).resolve().parents[1] / "batch"
# How often the end of the process is checked after it has closed its output, in milliseconds.
_POLL = 20


class Rendering(Gtk.Revealer):
    """Appears when a film is rendered, and stays until it is closed."""

    def __init__(self) -> None:
        super().__init__()
        self.is_running, self._folder = False, Path()
        self._arguments: list[str] = []
        self._process: subprocess.Popen | None = None
        # The present line of the output, which may be incomplete, and the last one that is not empty.
        self._rest = self._line = ""
        self.bar = described(Gtk.ProgressBar(show_text=True, hexpand=True, valign=Gtk.Align.CENTER,
                                             ellipsize=Pango.EllipsizeMode.END), texts.RENDER_TITLE)
        self.buttons = {name: Gtk.Button(label=name) for name in (texts.CANCEL, texts.RESUME, texts.RESTART, texts.CLOSE)}
        for name, action in ((texts.CANCEL, self.cancel), (texts.RESUME, lambda: self._start("--resume")),
                             (texts.RESTART, lambda: self._start("--restart")),
                             (texts.CLOSE, lambda: self.set_reveal_child(False))):
            self.buttons[name].connect("clicked", lambda _, action=action: action())
        self.set_child(row(self.bar, *self.buttons.values(), margin=6, margin_start=12))

    def begin(self, source: str, output: str, picture: list[str], sound: list[str]) -> None:
        """`picture` and `sound` are the words of both elements; `sound` is empty for a film without sound."""
        self._folder = Path(output + ".batch")
        self._arguments = [str(PROGRAM), "--filter", " ".join(picture), source, output]
        self._arguments += ["--sound-filter", " ".join(sound)] if sound else []
        # The file chooser has asked before it names an existing file.
        self._arguments += ["--overwrite"] if os.path.exists(output) else []
        self._start()

    def cancel(self) -> None:
        """Ends the run; finished segments are kept."""
        if self.is_running and self._process.poll() is None:
            self._process.send_signal(signal.SIGINT)

    def _start(self, *options: str) -> None:
        # The status line is written to a pseudo terminal, because elsewhere it is printed every 10 s only.
        try:
            master, terminal = pty.openpty()
            termios.tcsetwinsize(terminal, (24, 400))
        except OSError:
            # A container may have no pseudo terminals.
            master, terminal = os.pipe()
        try:
            self._process = subprocess.Popen([*self._arguments, *options], stdin=subprocess.DEVNULL, stdout=terminal,
                                             stderr=terminal)
        finally:
            os.close(terminal)
        self.is_running, self._rest, self._line = True, "", ""
        GLib.io_add_watch(master, GLib.PRIORITY_DEFAULT, GLib.IO_IN | GLib.IO_HUP, self._read)
        self._show(0, texts.CANCEL)
        self.set_reveal_child(True)

    def _read(self, master: int, _: GLib.IOCondition) -> bool:
        try:
            data = os.read(master, 1 << 16)
        except OSError:
            data = b""
        if not data:
            os.close(master)
            GLib.timeout_add(_POLL, self._finish)
            return GLib.SOURCE_REMOVE
        *lines, self._rest = re.split("[\r\n]+", self._rest + data.decode(errors="replace"))
        # A status line ends only when the next one begins.
        lines = [line.replace("\033[K", "").strip() for line in (*lines, self._rest)]
        self._line = next(filter(None, reversed(lines)), self._line)
        share = re.match(r"(\d+) %  ", self._line)
        self._show(int(share[1]) / 100 if share else self.bar.get_fraction(), texts.CANCEL)
        return GLib.SOURCE_CONTINUE

    def _finish(self) -> bool:
        status = self._process.poll()
        if status is None:
            return GLib.SOURCE_CONTINUE
        self.is_running = False
        if status == 0:
            self._show(1, texts.CLOSE)
        else:
            resume = [texts.RESUME] if self._folder.exists() else []
            self._show(self.bar.get_fraction(), *resume, texts.RESTART, texts.CLOSE)
        return GLib.SOURCE_REMOVE

    def _show(self, share: float, *names: str) -> None:
        self.bar.set_fraction(share)
        self.bar.set_text(self._line)
        self.bar.set_tooltip_text(self._line)
        for name, button in self.buttons.items():
            button.set_visible(name in names)
