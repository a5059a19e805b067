"""Measures the cost of the scheduler with thousands of stand-ins. A stand-in sleeps instead of rendering a segment."""

import math
import tempfile
import time
from pathlib import Path
from typing import Any

from distributed import LocalCluster, get_worker
from store import Store

from render.checks import Result
from render.manifest import Manifest
from render.remote import connect
from render.schedule import Schedule
from render.task import report_begun

WORKERS = 32
# Duration of a stand-in, in seconds.
SECONDS = 1.0
# Maximum wait of a worker for its next stand-in, as a fraction of the duration of a stand-in.
_GOAL = 0.01


def _stand_in(spec: str, number: int, _mode: str) -> dict[str, Any]:
    """Sleeps for `spec` seconds. Like a real worker, which waits for another process, it uses no processor time."""
    began = time.monotonic()
    report_begun(get_worker())
    time.sleep(float(spec))
    result = {"number": number, "file": f"{number:06}-0123456789ab.seg", "size": 1, "digest": "0" * 64,
              "caps": "video/x-h264, " + "x" * 300, "frames": 750, "head": [1] * 8, "tail": [2] * 8,
              "decoded": "0" * 64, "mode": "seek", "depth": 2}
    return {"result": result, "worker": "", "host": "host", "seconds": time.monotonic() - began}


def measure_scheduler(segments: int, store: Store, name: str, segment_seconds: float | None) -> list[str]:
    """Prints the overhead. Returns a sentence if the scheduler misses the goal.

    `segment_seconds` is the time that a worker takes per segment, measured by `Speed`; None if it was not measured.
    """
    if name not in store:
        store[name] = _measure(segments)
    print()
    for line in scheduler_lines(segments, store, name, segment_seconds):
        print(line)
    return goal_missed(segments, store[name])


def goal_missed(segments: int, run: dict[str, float]) -> list[str]:
    """Returns a sentence if the overhead is not below the goal, otherwise an empty list."""
    overhead = _idle(segments, run) / SECONDS
    return [] if overhead < _GOAL else [
        f"the overhead is {100 * overhead:.2f} % of a stand-in of {SECONDS:g} s, not below {100 * _GOAL:g} %"]


def scheduler_lines(segments: int, store: Store, name: str, segment_seconds: float | None) -> list[str]:
    """Sentences about the result of a measurement."""
    wall, processor = store[name]["wall"], store[name]["processor"]
    idle = _idle(segments, store[name])
    lines = [f"{segments} stand-ins of {SECONDS:g} s on {WORKERS} workers take {wall:.1f} s instead of "
             f"{_ideal(segments):.1f} s: a worker waits {1000 * idle:.0f} ms for each, {100 * idle / SECONDS:.2f} % of "
             "its time.",
             f"The scheduler takes {1000 * processor / segments:.2f} ms of processor time for each, with that of "
             f"{WORKERS} idle workers."]
    if segment_seconds is not None:
        lines.append(f"The wait is {100 * idle / segment_seconds:.2f} % of a segment of the film, which took "
                     f"{segment_seconds:.1f} s.")
    return lines


def _idle(segments: int, run: dict[str, float]) -> float:
    """Time in seconds that a worker waits per stand-in, including the delays of the stand-in itself."""
    return (run["wall"] - _ideal(segments)) / math.ceil(segments / WORKERS)


def _ideal(segments: int) -> float:
    """Wall time in seconds if the scheduler had no overhead. In the last round, some workers may be idle."""
    return math.ceil(segments / WORKERS) * SECONDS


def _measure(segments: int) -> dict[str, float]:
    """Runs all stand-ins. Returns the wall time and the processor time in seconds."""
    with tempfile.TemporaryDirectory(prefix="batch-scheduler-") as folder:
        manifest = Manifest(Path(folder) / "manifest")

        def on_done(_number: int, answer: dict[str, Any]) -> None:
            manifest.add(Result(**answer["result"]))

        # Threads suffice as workers, because a stand-in only waits.
        with LocalCluster(n_workers=WORKERS, threads_per_worker=1, processes=False, memory_limit=None,
                          dashboard_address=":0") as cluster:
            connection = connect(cluster, [])
            schedule = Schedule(connection, _stand_in, str(SECONDS), on_done, lambda _number, _text: None, lambda: None)
            processor, began = time.process_time(), time.monotonic()
            schedule.run(range(segments), "seek")
            wall, processor = time.monotonic() - began, time.process_time() - processor
            connection.close()
    return {"wall": wall, "processor": processor}
