"""Describes this machine for the log."""

from __future__ import annotations

import os
import platform
from pathlib import Path


def describe() -> str:
    """Number and model of the processors, and the versions of Linux and Python."""
    try:
        lines = Path("/proc/cpuinfo").read_text("ascii", "replace").splitlines()
    except OSError:
        lines = []
    models = [line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")]
    kernel = platform.release().split("-")[0]
    return (f"{os.cpu_count()} processors ({models[0] if models else platform.machine()}), Linux {kernel}, "
            f"Python {platform.python_version()}")
