"""The machine and the versions that a result belongs to."""
import hashlib
import os
import platform
import re
import subprocess
import sys
from pathlib import Path

import gi
import numpy
import scipy

gi.require_version("Gst", "1.0")
from gi.repository import Gst

TOP = Path(__file__).resolve().parents[3]
# The layout of a report does not change the figures.
REPORTS = {
    "cross_check", "fidelity_words", "markdown_report", "notes", "page", "plots", "replay", "report", "sensitivity",
    "tables", "verify", "wording",
}


def instrument() -> str:
    """The digest of the programs that measure and judge."""
    folder = Path(__file__).parent
    files = [path for path in sorted(folder.glob("*.py")) if path.stem not in REPORTS]
    digest = hashlib.sha256()
    for path in [*files, *sorted((folder / "native").glob("*.c")), TOP / "Tests/CAllocationCount/requests.h"]:
        digest.update(path.name.encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()[:12]


def identity(facts: dict[str, str]) -> dict[str, str]:
    """Facts that all runs of a folder have in common."""
    return {"plugin": facts["plugin"].partition(", sources")[0], "instrument": instrument(),
            **{name: facts[name] for name in ("processor", "system", "GStreamer", "x264enc")}}


def digests(factory: Gst.ElementFactory) -> dict[str, str]:
    """The digests of the plugin and the instrument, which must not change while runs are compared."""
    return {"plugin": _digest(factory.get_plugin().get_filename()), "instrument": instrument()}


def describe(factory: Gst.ElementFactory) -> dict[str, str]:
    """Facts about machine and versions, in the order in which they are shown."""
    plugin = factory.get_plugin()
    return {
        "processor": f"{_processor()}, {len(os.sched_getaffinity(0))} of {os.cpu_count()} processors",
        "memory": f"{os.sysconf('SC_PAGESIZE') * os.sysconf('SC_PHYS_PAGES') / 1e9:.1f} GB",
        "machine": _virtual(),
        "system": f"{_system()}, Linux {platform.release()}",
        "GStreamer": Gst.version_string().removeprefix("GStreamer "),
        "plugin": f"{plugin.get_version()}, SHA-256 {_digest(plugin.get_filename())}, sources {_commit()}",
        "x264enc": _version("x264enc"),
        "Python": f"{sys.version.split()[0]}, SciPy {scipy.__version__}, NumPy {numpy.__version__}",
        "priorities": _priorities(),
    }


def _processor() -> str:
    with open("/proc/cpuinfo", encoding="utf-8") as file:
        found = re.search(r"model name\s*:\s*(.+)", file.read())
    return found[1] if found else platform.machine()


def _virtual() -> str:
    with open("/proc/cpuinfo", encoding="utf-8") as file:
        return "virtual, shared with others" if "hypervisor" in file.read() else "not virtual"


def _system() -> str:
    return platform.freedesktop_os_release().get("PRETTY_NAME", "Linux")


def _digest(path: str) -> str:
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()[:12]


def _commit() -> str:
    run = subprocess.run(["git", "-C", str(TOP), "rev-parse", "--short=10", "HEAD"], capture_output=True, text=True)
    return run.stdout.strip() or "without a repository"


def _version(name: str) -> str:
    """The version of an element's plugin, and the library that it links by its digest."""
    factory = Gst.ElementFactory.find(name)
    if not factory:
        return "not installed"
    plugin = factory.get_plugin()
    Gst.ElementFactory.make(name)
    with open("/proc/self/maps", encoding="utf-8") as file:
        found = re.search(r"(/\S*/libx264\.so\.\d+)", file.read())
    library = f", {os.path.basename(found[1])} SHA-256 {_digest(found[1])}" if found else ""
    return plugin.get_version() + library


def _priorities() -> str:
    """Whether the system grants the priorities that the switch `priority` requests."""
    try:
        os.setpriority(os.PRIO_PROCESS, 0, os.getpriority(os.PRIO_PROCESS, 0) - 1)
        os.setpriority(os.PRIO_PROCESS, 0, os.getpriority(os.PRIO_PROCESS, 0) + 1)
        nice = "higher nice values granted"
    except PermissionError:
        nice = "higher nice values refused"
    child = os.fork()
    if child == 0:
        try:
            os.sched_setscheduler(0, os.SCHED_RR, os.sched_param(49))
        except OSError:
            os._exit(1)
        os._exit(0)
    real_time = "granted" if os.waitpid(child, 0)[1] == 0 else "refused"
    return f"{nice}, SCHED_RR {real_time}"


def load() -> str:
    """The other load of the machine."""
    return " ".join(f"{value:.2f}" for value in os.getloadavg())
