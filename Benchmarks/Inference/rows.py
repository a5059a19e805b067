"""Plays one row, and leaves its figures in a file."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from phases import Disturbance

TOP = Path(__file__).resolve().parents[2]
PROGRAM = TOP / "pipelines/inference"
ROWS = ("pose", "vocal-affect", "facial-expression", "stress")
REAL = ("pose", "facial-expression")
TICK = 0.2
# A row under this length, in seconds, has short windows, because an alert cannot come and go in it otherwise.
SHORT = 300
GRACE = 60


def python(row: str) -> str:
    return str(TOP / "out/inference-venv/bin/python") if row in REAL else "/usr/bin/python3"


def arguments(row: str, seconds: float, log: Path, root: Path) -> list[str]:
    words = [row, "live", f"seconds={seconds}", f"log={log}", f"sensor-root={root}"]
    if seconds < SHORT:
        words += ["window=1s", "up-dwell=2", "memory-rest=1"]
    return words


def play(row: str, seconds: float, folder: Path) -> bool:
    """Plays the row for so many seconds, and returns whether it ended well.

    Its output is in ROW.txt, and its figures are in ROW.jsonl.
    """
    log, text = folder / f"{row}.jsonl", folder / f"{row}.txt"
    new = folder / f"{row}.new"
    root = Path(tempfile.mkdtemp(prefix="inference-"))
    disturbance = Disturbance(root)
    try:
        with text.open("w", encoding="utf-8") as output:
            child = subprocess.Popen(
                [python(row), str(PROGRAM), *arguments(row, seconds, new, root)], stdout=output,
                stderr=subprocess.STDOUT, env=os.environ | {"PYTHONUNBUFFERED": "1"})
            try:
                start = time.monotonic()
                while child.poll() is None and time.monotonic() - start < seconds + GRACE:
                    disturbance.follow((time.monotonic() - start) / seconds)
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
    # A row that was interrupted leaves no figures that look complete.
    new.replace(log)
    return True
