"""Plays one row and writes its figures to a file."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from phases import SHORT, Disturbance

TOP = Path(__file__).resolve().parents[3]
PROGRAM = TOP / "pipelines/inference"
ROWS = ("text", "text-boxes", "voice")
# Rows that are played only if --rows names them.
MEDIAPIPE = ("pose", "facial-expression")
# As pipelines/inference/environment.sh sets it: the heap of glibc keeps no gaps between large blocks.
ENVIRONMENT = {"PYTHONUNBUFFERED": "1", "MALLOC_MMAP_THRESHOLD_": "1048576"}
TICK = 0.2
GRACE = 60


def python(row: str, stand_in: str | None) -> str:
    if stand_in is not None:
        return "/usr/bin/python3"
    return str(TOP / f"out/{'mediapipe' if row in MEDIAPIPE else 'models'}-venv/bin/python")


def arguments(row: str, seconds: float, log: Path, root: Path, stand_in: str | None) -> list[str]:
    source = "test" if row.startswith("text") else "live"
    words = [row, source, f"seconds={seconds}", f"log={log}", f"sensor-root={root}"]
    if stand_in is not None:
        words.append(f"stand-in={stand_in}")
    if seconds < SHORT:
        words += ["window=1s", "up-dwell=2", "memory-rest=1"]
    return words


def link_batteries(root: Path) -> None:
    """Shows the batteries of this machine in the simulated one. The other sensors stay simulated."""
    folder = root / "sys/class"
    folder.mkdir(parents=True)
    (folder / "power_supply").symlink_to("/sys/class/power_supply")


class Progress:
    """Reads the log of a row while the program writes it."""

    def __init__(self, file: Path) -> None:
        self._file, self._position = file, 0
        self.has_started = self.is_unloaded = False

    def read(self) -> None:
        try:
            with self._file.open("rb") as file:
                file.seek(self._position)
                text = file.read()
        except FileNotFoundError:
            return
        # The last line may be incomplete.
        whole = text[:text.rfind(b"\n") + 1]
        self._position += len(whole)
        for line in map(json.loads, whole.splitlines()):
            self.has_started |= line.get("event") == "start"
            if line.get("event") == "model":
                self.is_unloaded = line["text"].startswith("model unloaded")


def play(row: str, seconds: float, folder: Path, stand_in: str | None = None) -> bool:
    """Plays the row for `seconds`, or a stand-in for its model. Returns whether the program succeeded.

    Writes the output to ROW.txt and the figures to ROW.jsonl. The phases begin when the program has started.
    """
    log, text = folder / f"{row}.jsonl", folder / f"{row}.txt"
    new = folder / f"{row}.new"
    root = Path(tempfile.mkdtemp(prefix="inference-"))
    link_batteries(root)
    disturbance, progress = Disturbance(root), Progress(new)
    # Removes earlier figures first, so that a failed or interrupted row leaves no figures.
    for file in (log, new):
        file.unlink(missing_ok=True)
    try:
        with text.open("w", encoding="utf-8") as output:
            child = subprocess.Popen(
                [python(row, stand_in), str(PROGRAM), *arguments(row, seconds, new, root, stand_in)], stdout=output,
                stderr=subprocess.STDOUT, env=os.environ | ENVIRONMENT)
            try:
                spawned = start = time.monotonic()
                while child.poll() is None and time.monotonic() - spawned < seconds + GRACE:
                    if not progress.has_started:
                        start = time.monotonic()
                    progress.read()
                    disturbance.follow((time.monotonic() - start) / seconds, progress.is_unloaded)
                    time.sleep(TICK)
            finally:
                disturbance.end()
                if child.poll() is None:
                    child.kill()
                child.wait()
    finally:
        shutil.rmtree(root, ignore_errors=True)
    if child.returncode != 0:
        print(f"{row} failed ({child.returncode}): {text.read_text(encoding='utf-8')[-2000:]}", file=sys.stderr)
        return False
    new.replace(log)
    return True
