"""Processor time and memory of a process, from /proc."""

import os
import time

TICK = os.sysconf("SC_CLK_TCK")


def processor_seconds(pid: int) -> float:
    """User and system time of all threads, including ended threads."""
    with open(f"/proc/{pid}/stat") as file:
        fields = file.read().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / TICK


def memory_kb(pid: int) -> dict[str, int]:
    """Resident memory, its maximum, and its anonymous part, in kB."""
    result = {}
    with open(f"/proc/{pid}/status") as file:
        for line in file:
            name, _, value = line.partition(":")
            if name in ("VmRSS", "VmHWM", "RssAnon"):
                result[name] = int(value.split()[0])
    return result


class Usage:
    """Processor time of a process since the creation of this object, and its memory."""

    def __init__(self, pid: int) -> None:
        self.pid, self.start, self.before = pid, time.monotonic(), processor_seconds(pid)

    def now(self) -> dict:
        elapsed = time.monotonic() - self.start
        used = processor_seconds(self.pid) - self.before
        return {"seconds": round(elapsed, 1), "cpu_percent": round(100 * used / elapsed, 2), **memory_kb(self.pid)}
