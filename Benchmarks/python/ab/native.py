"""The C code of the measured process. It is built when necessary, and called through ctypes."""
import ctypes
import os
import subprocess
import sys

FOLDER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "native")
LIBRARIES = {"counter": [], "probes": ["gstreamer-1.0"]}
# File with replacements for functions of the C library. The tests of allocations use this file too.
SHARED = os.path.join(FOLDER, "../../../../Tests/CAllocationCount/requests.h")
MOST_ACQUIRES = 65536
# Same value as the constant in probes.c.
MOST_FRAMES = 131072


def build(folder: str) -> None:
    """Compiles both libraries into `folder`, unless they are newer than their sources."""
    os.makedirs(folder, exist_ok=True)
    for name, packages in LIBRARIES.items():
        source, library = os.path.join(FOLDER, f"{name}.c"), path(folder, name)
        newest = max(map(os.path.getmtime, (source, SHARED)))
        if not os.path.exists(library) or os.path.getmtime(library) <= newest:
            compile_library(source, library, packages)


def compile_library(source: str, library: str, packages: list[str]) -> None:
    """Compiles one file. If the compiler fails, ends the program with its error message."""
    new, command = f"{library}.{os.getpid()}", ["gcc", "-O2", "-Wall", "-Werror", "-shared", "-fPIC", source, "-ldl"]
    if packages:
        command += subprocess.check_output(["pkg-config", "--cflags", "--libs", *packages], text=True).split()
    run = subprocess.run([*command, "-o", new], capture_output=True, text=True)
    if run.returncode:
        sys.exit(f"{source} cannot be compiled:\n{run.stderr}")
    os.replace(new, library)


def path(folder: str, name: str) -> str:
    return os.path.join(os.path.abspath(folder), f"lib{name}.so")


class Counter:
    """The counter of memory requests and acquires in this process, if its library was preloaded."""

    def __init__(self) -> None:
        self._process = ctypes.CDLL(None)
        self.is_loaded = hasattr(self._process, "ab_requests")
        if self.is_loaded:
            self._process.ab_requests.restype = self._process.ab_acquires.restype = ctypes.c_ulong

    def requests(self) -> int:
        return self._process.ab_requests() if self.is_loaded else 0

    def acquires(self) -> list[tuple[int, int, int]]:
        """Address of the pool, time and duration in ns of each acquire from a buffer pool."""
        found = (ctypes.c_uint64 * 3 * MOST_ACQUIRES)()
        return [tuple(one) for one in found[:self._process.ab_acquires(found, MOST_ACQUIRES)]]


class Frames(ctypes.Structure):
    """The frames that passed a pad, as probes.c records them."""

    _fields_ = [("number", ctypes.c_int), *((name, ctypes.c_uint64 * MOST_FRAMES)
                                            for name in ("times", "passed", "sizes", "pools"))]

    def frames(self) -> list[tuple[int, int]]:
        """For each frame: running time, and monotonic time at which it passed the pad, both in ns."""
        return [(time, passed * 1000) for time, passed in zip(self.times[:self.number], self.passed[:self.number])]


def probes(library: str) -> ctypes.CDLL:
    """The functions of probes.c. Each takes the address of a pad, which is the hash of the pad's PyGObject."""
    loaded = ctypes.CDLL(library)
    for function, numbers, result in ((loaded.ab_restamp, 0, None), (loaded.ab_slow_down, 3, None),
                                      (loaded.ab_count, 0, ctypes.POINTER(ctypes.c_int)),
                                      (loaded.ab_record, 0, ctypes.POINTER(Frames))):
        function.argtypes, function.restype = [ctypes.c_void_p, *[ctypes.c_uint64] * numbers], result
    return loaded
