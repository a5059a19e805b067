"""Measures the cost of rendering and verifying a few frames, for the plan."""

import os
import time
from contextlib import suppress


class Meter:
    """Measures the time and the use of the processors from its creation until `cost` is called."""

    def __init__(self) -> None:
        self._wall, self._processor, self._idle = time.monotonic(), time.process_time(), _idle_seconds()
        self._verification = self._processor

    def verify(self) -> None:
        """Marks the end of rendering and the start of verification."""
        self._verification = time.process_time()

    def cost(self) -> dict[str, float]:
        """Wall time in seconds, idle part of the processors, and part of the CPU time that verification took."""
        wall, now = max(time.monotonic() - self._wall, 1e-6), time.process_time()
        idle = (_idle_seconds() - self._idle) / (wall * len(os.sched_getaffinity(0)))
        return {"seconds": wall, "idle": max(0.0, min(1.0, idle)),
                "verification": (now - self._verification) / max(now - self._processor, 1e-6)}


def _idle_seconds() -> float:
    """Idle seconds of the processors that this process may use. Other programs also reduce the idle time."""
    names = {f"cpu{number}" for number in os.sched_getaffinity(0)}
    idle = 0
    with suppress(OSError), open("/proc/stat", encoding="ascii") as file:
        for line in file:
            name, *values = line.split()
            if name in names:
                # The fields 3 and 4 are idle and iowait.
                idle += int(values[3]) + int(values[4])
    return idle / os.sysconf("SC_CLK_TCK")
