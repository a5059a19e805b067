"""The machine and the versions that a result belongs to."""
import hashlib
import os
import platform
import re
import subprocess
import sys

import gi
import numpy
import scipy

gi.require_version("Gst", "1.0")
from gi.repository import Gst


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
    top = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    run = subprocess.run(["git", "-C", top, "rev-parse", "--short=10", "HEAD"], capture_output=True, text=True)
    return run.stdout.strip() or "without a repository"


def _version(name: str) -> str:
    factory = Gst.ElementFactory.find(name)
    return factory.get_plugin().get_version() if factory else "not installed"


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
