"""The phases of a run: CPU hogs run, or memory is short (simulated). Times are fractions of the length of the run."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Phase:
    """A period in which hogs run on each processor, or in which memory is short."""

    start: float
    end: float
    hogs_per_processor: int = 0
    is_memory_short: bool = False

    @property
    def hogs(self) -> int:
        return self.hogs_per_processor * (os.cpu_count() or 1)

    def label(self) -> str:
        if self.is_memory_short:
            return "memory short (simulated)"
        return f"{self.hogs} CPU hogs"


# A run below this length, in seconds, has short alert windows. Longer windows leave no time to raise and clear alerts.
SHORT = 300

# A hog ends when its parent ends, even if SIGKILL ends the parent.
HOG = """
import os
parent = os.getppid()
while os.getppid() == parent:
    for _ in range(1_000_000):
        pass
"""

PHASES = (
    Phase(0.15, 0.30, hogs_per_processor=1),
    Phase(0.38, 0.45, is_memory_short=True),
    Phase(0.50, 0.70, hogs_per_processor=3),
)


class Disturbance:
    """Starts and ends the hogs, and writes the memory pressure file of a simulated machine.

    Memory stays short until the program has unloaded the model. A busy machine delays the unload.
    """

    def __init__(self, root: Path) -> None:
        self._file = root / "proc/pressure/memory"
        self._file.parent.mkdir(parents=True, exist_ok=True)
        self._hogs: list[subprocess.Popen[bytes]] = []
        self._is_short = False
        self._write(0)

    def follow(self, share: float, is_unloaded: bool) -> None:
        """Sets the hogs and the memory pressure for the time `share`, a fraction of the length of the run."""
        now = [phase for phase in PHASES if phase.start <= share < phase.end]
        self._run(sum(phase.hogs for phase in now))
        is_short = any(phase.is_memory_short for phase in now)
        is_short |= self._is_short and not is_unloaded
        if is_short != self._is_short:
            self._is_short = is_short
            self._write(25 if is_short else 0)

    def end(self) -> None:
        self._run(0)

    def _run(self, count: int) -> None:
        while len(self._hogs) > count:
            hog = self._hogs.pop()
            hog.kill()
            hog.wait()
        while len(self._hogs) < count:
            self._hogs.append(subprocess.Popen([sys.executable, "-c", HOG]))

    def _write(self, percent: float) -> None:
        """Replaces the file atomically, so that a reader never reads half of it."""
        new = self._file.with_suffix(".new")
        new.write_text(f"some avg10={percent:.2f} avg60=0.00 avg300=0.00 total=0\n", encoding="ascii")
        new.replace(self._file)
