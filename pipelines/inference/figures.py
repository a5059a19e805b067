"""Reads figures of perfmonitor, and writes figures and events as JSON lines."""

from __future__ import annotations

import atexit
import json
import os
import sys
import time
from pathlib import Path
from typing import Any, TextIO

import gi

gi.require_version("Gst", "1.0")
from gi.repository import Gst  # noqa: E402

import pipeline  # noqa: E402, F401  # Adds the folder of `output` to sys.path.
from output import NewFile  # noqa: E402


class Log:
    """A file with one JSON object per line. Writes nothing without a path.

    An existing file stays until the new file is complete. If no file exists, the new file is readable at once.
    """

    def __init__(self, path: Path | None) -> None:
        self._new: NewFile | None = None
        if path and path.is_file():
            self._new = NewFile(Path(os.path.realpath(path)), replaces=True)
            path = Path(self._new.opened)
            atexit.register(self._new.__exit__)
        self._file: TextIO | None = path.open("w", encoding="utf-8") if path else None
        self._start = time.monotonic()

    def write(self, **fields: Any) -> None:
        if self._file is not None:
            line = {"time": round(time.monotonic() - self._start, 3)} | fields
            self._file.write(json.dumps(line) + "\n")
            self._file.flush()

    def close(self, is_complete: bool) -> None:
        if self._file is not None:
            self._file.close()
        if self._new is not None:
            if is_complete:
                self._new.finish()
            else:
                print(f"The log is not complete: {self._new.keep()}", file=sys.stderr, flush=True)


def value(structure: Gst.Structure | None, name: str) -> float | None:
    """A number in a structure of perfmonitor. None if perfmonitor has not measured it."""
    if structure is None or not structure.has_field(name):
        return None
    return float(structure.get_value(name))


def read_total(monitor: Gst.Element, name: str) -> dict[str, float | None]:
    """Latency percentiles of the inference element since the start, in seconds, and peak memory in bytes."""
    stats = monitor.get_property("stats")
    element = stats.get_value(name) if stats is not None and stats.has_field(name) else None
    total = element.get_value("since-start") if element is not None else None
    figures = {key: value(total, f"latency-{key}") for key in ("p50", "p95", "p99", "max")}
    figures = {key: None if number is None else round(number / 1e9, 6) for key, number in figures.items()}
    return figures | {"peak-memory": value(stats, "peak-memory")}


def power(monitor: Gst.Element) -> dict[str, Any]:
    """Power of the machine in watts, its energy since the start in joules, and their source or why there is none."""
    stats = monitor.get_property("stats")
    source = stats.get_string("energy-source") if stats is not None and stats.has_field("energy-source") else ""
    return {"power": value(stats, "power"), "energy": value(stats, "energy"), "energy_source": source}


def read(monitor: Gst.Element, name: str) -> dict[str, float | None]:
    """Figures of the last 5 s: latency and rate of the inference element, age at the sink, and processor use."""
    # Keep a reference to the outer structure while an inner structure is used.
    stats = monitor.get_property("stats")
    if stats is None:
        return {}
    element = stats.get_value(name) if stats.has_field(name) else None
    sink = stats.get_value("pipeline") if stats.has_field("pipeline") else None
    queue = stats.get_value("newest") if stats.has_field("newest") else None
    figures = {
        "rate": value(element, "rate"), "p50": value(element, "latency-p50"), "p95": value(element, "latency-p95"),
        "p99": value(element, "latency-p99"), "max": value(element, "latency-max"), "age-p50": value(sink, "age-p50"),
        "age-p95": value(sink, "age-p95"), "age-max": value(sink, "age-max"), "queue-dropped": value(queue, "dropped"),
        "cpu": value(stats, "cpu"), "cpu-wait": value(stats, "cpu-wait"),
        "machine-cpu": value(stats, "machine-cpu"),
    }
    # Convert nanoseconds to seconds for the log.
    for key in ("p50", "p95", "p99", "max", "age-p50", "age-p95", "age-max"):
        if figures[key] is not None:
            figures[key] = round(figures[key] / 1e9, 6)
    return figures
