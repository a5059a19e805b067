"""Describes the machine and the versions to which a result belongs."""
import hashlib
import os
import platform
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import gi
import numpy
import scipy

gi.require_version("Gst", "1.0")
from gi.repository import Gst

from this_machine import processor

TOP = Path(__file__).resolve().parents[3]
# Modules that only write reports. They do not change the figures.
REPORTS = {"notes", "page", "report", "tables"}


def instrument() -> str:
    """Digest of the files of this benchmark that measure, or compute verdicts."""
    folder = Path(__file__).parent
    files = [path for path in sorted(folder.glob("*.py")) if path.stem not in REPORTS]
    digest = hashlib.sha256()
    for path in [*files, *sorted((folder / "native").glob("*.c")), TOP / "Tests/CAllocationCount/requests.h"]:
        digest.update(path.name.encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()[:12]


def identity(facts: dict[str, str]) -> dict[str, str]:
    """The facts that must be the same for all runs in a folder."""
    return {"plugin": facts["plugin"].partition(", sources")[0], "instrument": instrument(),
            **{name: facts[name] for name in ("processor", "system", "GStreamer", "x264enc")}}


def digests(factory: Gst.ElementFactory) -> dict[str, str]:
    """Digests of the plugin and of the instrument, which must not change during the runs that are compared."""
    return {"plugin": _digest(factory.get_plugin().get_filename()), "instrument": instrument()}


def describe(factory: Gst.ElementFactory) -> dict[str, str]:
    """Facts about the machine and the versions, in the order in which the report shows them."""
    plugin = factory.get_plugin()
    cpuinfo = Path("/proc/cpuinfo").read_text("utf-8")
    commit = subprocess.run(["git", "-C", str(TOP), "rev-parse", "--short=10", "HEAD"], capture_output=True, text=True)
    return {
        "processor": f"{processor()}, {len(os.sched_getaffinity(0))} of {os.cpu_count()} processors",
        "memory": f"{os.sysconf('SC_PAGESIZE') * os.sysconf('SC_PHYS_PAGES') / 1e9:.1f} GB",
        "machine": "virtual, shared with others" if "hypervisor" in cpuinfo else "not virtual",
        "system": f"{platform.freedesktop_os_release().get('PRETTY_NAME', 'Linux')}, Linux {platform.release()}",
        "GStreamer": Gst.version_string().removeprefix("GStreamer "),
        "plugin": f"{plugin.get_version()}, SHA-256 {_digest(plugin.get_filename())}, sources "
                  f"{commit.stdout.strip() or 'without a repository'}",
        "x264enc": _encoder(),
        "Python": f"{sys.version.split()[0]}, SciPy {scipy.__version__}, NumPy {numpy.__version__}",
        # Whether the system grants the priorities that the switch `priority` requests.
        "priorities": f"higher nice values {_answer(lambda: os.nice(-1))}, SCHED_RR "
                      f"{_answer(lambda: os.sched_setscheduler(0, os.SCHED_RR, os.sched_param(49)))}",
    }


def _digest(path: str) -> str:
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()[:12]


def _encoder() -> str:
    """Version of the plugin of x264enc, and digest of the library that it uses."""
    factory = Gst.ElementFactory.find("x264enc")
    if not factory:
        return "not installed"
    # Creating the element loads the plugin, which maps the library.
    Gst.ElementFactory.make("x264enc")
    found = re.search(r"(/\S*/libx264\.so\.\d+)", Path("/proc/self/maps").read_text("utf-8"))
    library = f", {os.path.basename(found[1])} SHA-256 {_digest(found[1])}" if found else ""
    return factory.get_plugin().get_version() + library


def _answer(request: Callable[[], object]) -> str:
    """Calls `request` in a new process. Returns a text about whether the system grants the request."""
    try:
        subprocess.run(["true"], preexec_fn=request)
    except subprocess.SubprocessError:
        return "refused"
    return "granted"


def load() -> str:
    """The load averages of the machine."""
    return " ".join(f"{value:.2f}" for value in os.getloadavg())
