"""The C code of the measured process: built when it is needed, and called through ctypes."""
import ctypes
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

FOLDER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "native")
LIBRARIES = {"counter": [], "probes": ["gstreamer-1.0"]}
# The functions that take the place of the C library's, which the tests of allocations use as well.
SHARED = Path(__file__).resolve().parents[3] / "Tests/CAllocationCount/requests.h"
MOST_ACQUIRES = 65536


def build(folder: str) -> None:
    """Compiles both libraries into `folder`, unless they are newer than their sources."""
    os.makedirs(folder, exist_ok=True)
    for name, packages in LIBRARIES.items():
        source, library = os.path.join(FOLDER, f"{name}.c"), path(folder, name)
        newest = max(map(os.path.getmtime, (source, SHARED)))
        if not os.path.exists(library) or os.path.getmtime(library) <= newest:
            compile_library(source, library, packages)


def compile_library(source: str, library: str, packages: list[str]) -> None:
    """Compiles one file; ends the program with the reason if that fails."""
    if not shutil.which("gcc") or not shutil.which("pkg-config"):
        sys.exit("The benchmark compiles its probes: install gcc, pkg-config and libgstreamer1.0-dev.")
    flags = []
    if packages:
        run = subprocess.run(["pkg-config", "--cflags", "--libs", *packages], capture_output=True, text=True,
                             check=False)
        if run.returncode:
            sys.exit(f"pkg-config does not find {' '.join(packages)}: install libgstreamer1.0-dev.")
        flags = run.stdout.split()
    new = f"{library}.{os.getpid()}"
    run = subprocess.run(["gcc", "-O2", "-Wall", "-Werror", "-shared", "-fPIC", "-o", new, source, *flags, "-ldl"],
                         capture_output=True, text=True, check=False)
    if run.returncode:
        sys.exit(f"{source} cannot be compiled:\n{run.stderr}")
    os.replace(new, library)


def path(folder: str, name: str) -> str:
    return os.path.join(os.path.abspath(folder), f"lib{name}.so")


class Counter:
    """The counter of the process, if it was preloaded."""

    def __init__(self) -> None:
        process = ctypes.CDLL(None)
        self.is_loaded = hasattr(process, "ab_requests")
        if self.is_loaded:
            self._requests, self._acquires = process.ab_requests, process.ab_acquires
            self._requests.restype = self._acquires.restype = ctypes.c_ulong

    def requests(self) -> int:
        return self._requests() if self.is_loaded else 0

    def acquires(self) -> list[tuple[int, int, int]]:
        """Address of the pool, time and duration in ns of each acquire from a buffer pool."""
        if not self.is_loaded:
            return []
        found = (ctypes.c_uint64 * (3 * MOST_ACQUIRES))()
        number = self._acquires(found, MOST_ACQUIRES)
        return [tuple(found[3 * index:3 * index + 3]) for index in range(number)]


class Probes:
    """The pad probes; pads are objects of PyGObject, whose hash is their address."""

    def __init__(self, library: str) -> None:
        self._library = ctypes.CDLL(library)
        self._library.ab_record.restype = ctypes.c_void_p
        for name, result in (("time", ctypes.c_uint64), ("passed", ctypes.c_int64), ("size", ctypes.c_uint64),
                             ("pool", ctypes.c_uint64), ("number", ctypes.c_int), ("count", ctypes.c_void_p),
                             ("counted", ctypes.c_uint)):
            getattr(self._library, f"ab_{name}").restype = result

    def restamp(self, pad) -> None:
        self._library.ab_restamp(ctypes.c_void_p(hash(pad)))

    def slow_down(self, pad, period: int, span: int, pause: int) -> None:
        self._library.ab_slow_down(ctypes.c_void_p(hash(pad)), *(ctypes.c_uint64(v) for v in (period, span, pause)))

    def count(self, pad) -> Callable[[], int]:
        """Counts the buffers that pass a pad, also those in lists; the result returns their number."""
        counter = ctypes.c_void_p(self._library.ab_count(ctypes.c_void_p(hash(pad))))
        return lambda: self._library.ab_counted(counter)

    def record(self, pad) -> "Record":
        return Record(self._library, self._library.ab_record(ctypes.c_void_p(hash(pad))))


class Record:
    """The frames that passed one pad."""

    def __init__(self, library: ctypes.CDLL, frames: int) -> None:
        self._library, self._frames = library, ctypes.c_void_p(frames)

    def __len__(self) -> int:
        return self._library.ab_number(self._frames)

    def sizes(self) -> list[int]:
        """Bytes of each frame."""
        return [self._library.ab_size(self._frames, index) for index in range(len(self))]

    def pools(self) -> set[int]:
        """Addresses of the pools that the frames were acquired from."""
        return {self._library.ab_pool(self._frames, index) for index in range(len(self))} - {0}

    def frames(self) -> list[tuple[int, int]]:
        """Running time of each frame, and when it passed, in ns of the monotonic clock."""
        return [(self._library.ab_time(self._frames, index), self._library.ab_passed(self._frames, index) * 1000)
                for index in range(len(self))]
