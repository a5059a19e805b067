"""Writes JSON lines to standard output for the parent process, and detects stalled pipelines."""

import json
import os
import sys
import threading
import time
from contextlib import suppress
from typing import Any

# A pipeline has stalled if it moves no frame for this time. Only tests set the environment variable.
STALL_SECONDS = float(os.environ.get("BATCH_STALL_SECONDS", "180"))
_INTERVAL = 0.5
_ALIVE_INTERVAL = min(10.0, STALL_SECONDS / 4)
_last = 0.0
_last_beat = time.monotonic()
# Number of playing pipelines. Only the main thread changes it.
_playing = 0
_lock = threading.Lock()
_output = sys.stdout


def take_output() -> None:
    """Reserves standard output for JSON lines. Redirects other output of elements and libraries to standard error."""
    global _output
    _output = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)


def report_progress(frames: int) -> None:
    """Reports the number of rendered frames, at most twice a second."""
    global _last
    now = time.monotonic()
    if now - _last >= _INTERVAL:
        _last = now
        write({"frames": frames})


def write(value: dict[str, Any]) -> None:
    # If the parent was killed, the task continues, because --resume can use the segment of the task.
    with _lock, suppress(BrokenPipeError):
        _output.write(json.dumps(value) + "\n")
        _output.flush()


def beat() -> None:
    """Records that a frame or a packet has moved, or that a pipeline starts. Any thread may call this."""
    global _last_beat
    _last_beat = time.monotonic()


def begin_playing() -> None:
    global _playing
    beat()
    _playing += 1


def end_playing() -> None:
    global _playing
    _playing -= 1


def is_stalled() -> bool:
    """Whether a playing pipeline has stalled. Work without a pipeline, such as an fsync, has no time limit."""
    return _playing > 0 and time.monotonic() - _last_beat > STALL_SECONDS


def report_life() -> None:
    """Starts a thread that writes a line every few seconds, so that the parent does not kill a silent task.

    If a pipeline has stalled, the thread writes nothing. The parent then kills the task, even if a call of GStreamer
    does not return.
    """
    never = threading.Event()

    def report() -> None:
        while not never.wait(_ALIVE_INTERVAL):
            if not is_stalled():
                write({"alive": True})

    threading.Thread(target=report, daemon=True).start()
