"""Detects memory shortage with the files and thresholds of adaptivepool, and decides when to unload the model."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from pathlib import Path

# Memory is short if some task waits for memory for more than this percentage of the time.
TOLERABLE_WAIT = 10.0
# Memory is short if unreclaimable memory exceeds this part of the limit of the control group.
TOLERABLE_USE = 0.95
# In cgroup version 1, a limit of at least this many bytes means no limit.
NO_LIMIT = 1 << 60
GREATEST_DEPTH = 32


class MemoryState(Enum):
    UNKNOWN = "unknown"
    ENOUGH = "enough"
    SHORT = "short"

    def and_(self, other: MemoryState) -> MemoryState:
        """Combines two states. SHORT has priority over ENOUGH, and ENOUGH over UNKNOWN."""
        for state in (MemoryState.SHORT, MemoryState.ENOUGH):
            if state in (self, other):
                return state
        return MemoryState.UNKNOWN


def from_pressure(text: str) -> MemoryState:
    """Computes the state from the text of /proc/pressure/memory or of memory.pressure of a control group."""
    for line in text.splitlines():
        words = line.split(" ")
        if words[0] != "some":
            continue
        for word in words[1:]:
            if word.startswith("avg10="):
                number = word.removeprefix("avg10=")
                if not number.replace(".", "", 1).isascii() or not number.replace(".", "", 1).isdigit():
                    return MemoryState.UNKNOWN
                if float(number) > 100:
                    return MemoryState.UNKNOWN
                return MemoryState.SHORT if float(number) > TOLERABLE_WAIT else MemoryState.ENOUGH
    return MemoryState.UNKNOWN


def from_use(current: str, limit: str, statistics: str) -> MemoryState:
    """Computes the state from usage and limit of a control group. Subtracts `inactive_file`, which is reclaimable."""
    current, limit = current.strip(), limit.strip()
    if not current.isdecimal() or not limit.isdecimal() or not 0 < int(limit) < NO_LIMIT:
        return MemoryState.UNKNOWN
    fields = {words[0]: words[1] for words in map(str.split, statistics.splitlines()) if len(words) == 2}
    reclaimable = fields.get("total_inactive_file", fields.get("inactive_file", "0"))
    held = int(current) - min(int(reclaimable) if reclaimable.isdecimal() else 0, int(current))
    return MemoryState.SHORT if held > TOLERABLE_USE * int(limit) else MemoryState.ENOUGH


def control_groups(text: str) -> list[tuple[str, bool]]:
    """Folders of the control groups in /proc/self/cgroup, innermost first, and whether each is of version 2."""
    unified = None
    for line in text.splitlines():
        parts = line.split(":", 2)
        if len(parts) != 3:
            continue
        if "memory" in parts[1].split(","):
            return lineage(parts[2], "/sys/fs/cgroup/memory", False)
        if parts[0] == "0":
            unified = parts[2]
    return [] if unified is None else lineage(unified, "/sys/fs/cgroup", True)


def lineage(path: str, top: str, is_version_2: bool) -> list[tuple[str, bool]]:
    names = [name for name in path.split("/") if name]
    if len(names) > GREATEST_DEPTH or ".." in names:
        return []
    return [("/".join([top, *names[:depth]]), is_version_2) for depth in range(len(names), -1, -1)]


def read(root: Path = Path("/")) -> MemoryState:
    """Reads the state of the machine. `root` contains `proc` and `sys`, like `sensor-root` of adaptivepool."""

    def text(path: str) -> str:
        try:
            return (root / path.lstrip("/")).read_text(encoding="ascii", errors="replace")
        except OSError:
            return ""

    state = from_pressure(text("/proc/pressure/memory"))
    for folder, is_version_2 in control_groups(text("/proc/self/cgroup")):
        usage, limit = ("current", "max") if is_version_2 else ("usage_in_bytes", "limit_in_bytes")
        if is_version_2:
            state = state.and_(from_pressure(text(f"{folder}/memory.pressure")))
        state = state.and_(from_use(
            text(f"{folder}/memory.{usage}"), text(f"{folder}/memory.{limit}"), text(f"{folder}/memory.stat")))
    return state


@dataclass
class MemoryGuard:
    """Decides when to unload and reload a model. The caller passes the time in seconds.

    The model is unloaded while memory is short. It is reloaded when memory has not been short for `rest` seconds, the
    minimum time of adaptivepool. If memory is short again within `trial` seconds, the next rest doubles.
    """

    rest: float = 10.0
    longest_rest: float = 160.0
    trial: float = 60.0
    is_allowed: bool = True
    _short_at: float | None = None
    _loaded_at: float | None = None
    _rest: float = 0.0

    def update(self, state: MemoryState, now: float) -> bool:
        """Returns True if the model may be loaded."""
        if state is MemoryState.SHORT:
            if self.is_allowed:
                is_repeated = self._loaded_at is not None and now - self._loaded_at < self.trial
                self._rest = min(self._rest * 2, self.longest_rest) if is_repeated else self.rest
            self._short_at = now
            self.is_allowed = False
        elif not self.is_allowed and self._short_at is not None and now - self._short_at >= self._rest:
            self.is_allowed = True
            self._loaded_at = now
        return self.is_allowed
