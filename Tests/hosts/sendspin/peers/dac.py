"""Reads a recording of the virtual DAC; see Tests/CVirtualDAC/virtualdac.c."""

import dataclasses
import pathlib

import numpy as np


@dataclasses.dataclass
class Recording:
    """Samples of the playout error, events, and the statistics of the whole run. All times are in nanoseconds."""

    time: np.ndarray
    error: np.ndarray
    events: list[tuple[int, str, int]]
    stats: dict[str, int]

    @property
    def seconds(self) -> np.ndarray:
        return (self.time - self.time[0]) / 1e9

    @property
    def error_us(self) -> np.ndarray:
        return self.error / 1e3


def read(path: pathlib.Path) -> Recording:
    time, error, events, stats = [], [], [], {}
    with open(path) as file:
        next(file, None)
        for line in file:
            if line.startswith("#"):
                name, value = line[2:].strip().split("=")
                stats[name] = int(value)
                continue
            # Ignore an incomplete line, which a killed process may leave.
            if line.count(",") != 4 or not line.endswith("\n"):
                continue
            server_time, _, late, event, count = line.split(",")
            if event == "sample":
                time.append(int(server_time))
                error.append(int(late))
            else:
                events.append((int(server_time), event, int(count)))
    return Recording(np.array(time, dtype=np.int64), np.array(error, dtype=np.int64), events, stats)


def difference(one: Recording, other: Recording) -> tuple[np.ndarray, np.ndarray]:
    """Returns the times in seconds at which both play, and the delay of `one` relative to `other` in microseconds."""
    start, end = max(one.time[0], other.time[0]), min(one.time[-1], other.time[-1])
    time = np.arange(start, end, 10_000_000)
    late = np.interp(time, one.time, one.error) - np.interp(time, other.time, other.error)
    return (time - start) / 1e9, late / 1e3


def sizes(errors: np.ndarray) -> dict[str, float]:
    """P50, P99 and maximum of the absolute errors, rounded to 0.1."""
    if not len(errors):
        return {"p50": float("nan"), "p99": float("nan"), "max": float("nan")}
    size = np.abs(errors)
    return {"p50": round(float(np.quantile(size, 0.5)), 1), "p99": round(float(np.quantile(size, 0.99)), 1),
            "max": round(float(size.max()), 1)}
