"""What a task writes to its standard output: JSON lines for the process that started it."""

import json
import os
import sys
import threading
import time
from contextlib import suppress
from typing import Any

# A pipeline in which nothing moves for this long has stalled. The variable is for tests.
STALL_SECONDS = float(os.environ.get("BATCH_STALL_SECONDS", "180"))
_INTERVAL = 0.5
_ALIVE_INTERVAL = min(10.0, STALL_SECONDS / 4)
_last = 0.0
_last_beat = time.monotonic()
# Pipelines that play; only the main thread changes this.
_playing = 0
_lock = threading.Lock()
_output = sys.stdout


def take_output() -> None:
    """Keeps standard output for these lines; text that an element or a library prints there goes to standard error."""
    global _output
    _output = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)


def report_progress(frames: int) -> None:
    """At most twice a second."""
    global _last
    now = time.monotonic()
    if now - _last >= _INTERVAL:
        _last = now
        write({"frames": frames})


def write(value: dict[str, Any]) -> None:
    # The process that reads this may have been killed; the file of a segment is of use without it.
    with _lock, suppress(BrokenPipeError):
        _output.write(json.dumps(value) + "\n")
        _output.flush()


def beat() -> None:
    """A frame or a packet moves, or a pipeline starts. May be called from any thread."""
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
    """Other work than that of a pipeline, such as an fsync to a slow disk, may take any time."""
    return _playing > 0 and time.monotonic() - _last_beat > STALL_SECONDS


def report_life() -> None:
    """Prints a line every few seconds, from a thread, while other work is silent.

    It prints nothing while a pipeline has stalled, so that a task whose stall is not noticed, because a call of
    GStreamer does not return, is ended by the process that started it.
    """
    never = threading.Event()

    def report() -> None:
        while not never.wait(_ALIVE_INTERVAL):
            if not is_stalled():
                write({"alive": True})

    threading.Thread(target=report, daemon=True).start()
