"""What a task writes to its standard output: JSON lines for the process that started it."""

import json
import sys
import threading
import time
from contextlib import suppress
from typing import Any

_INTERVAL = 0.5
_ALIVE_INTERVAL = 10.0
_last = 0.0
_lock = threading.Lock()


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
        sys.stdout.write(json.dumps(value) + "\n")
        sys.stdout.flush()


def report_life() -> None:
    """Prints a line every few seconds, from a thread, while other work is silent."""
    never = threading.Event()

    def report() -> None:
        while not never.wait(_ALIVE_INTERVAL):
            write({"alive": True})

    threading.Thread(target=report, daemon=True).start()
