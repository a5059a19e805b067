"""Facts about the machine, and a free port."""
import platform
import re
import socket
from pathlib import Path


def processor():
    """Name of the processor, or of the architecture if the kernel gives no name."""
    found = re.search(r"model name\s*:\s*(.+)", Path("/proc/cpuinfo").read_text("utf-8"))
    return found[1] if found else platform.machine()


def free_port():
    """A UDP port of the loopback address that no program uses at the moment."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]
