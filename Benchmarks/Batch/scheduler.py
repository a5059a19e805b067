"""The cost of the scheduler: thousands of segments whose rendering is replaced by waiting."""

import tempfile
import time
from pathlib import Path
from typing import Any

from store import Store

from render.checks import Result
from render.cluster import connect
from render.manifest import Manifest
from render.schedule import Schedule

WORKERS = 32
# What a stand-in takes.
SECONDS = 1.0
# The part of the time of a segment that a worker may wait for the next one.
_GOAL = 0.01


def _stand_in(spec: str, number: int, _mode: str) -> dict[str, Any]:
    """A worker that waits for another process to render uses no processor time, as this one; `spec` is its time."""
    import time

    began = time.monotonic()
    time.sleep(float(spec))
    result = {"number": number, "file": f"{number:06}-0123456789ab.seg", "size": 1, "digest": "0" * 64,
              "caps": "video/x-h264, " + "x" * 300, "frames": 750, "head": [1] * 8, "tail": [2] * 8,
              "decoded": "0" * 64, "mode": "seek", "depth": 2}
    return {"result": result, "worker": "", "host": "host", "seconds": time.monotonic() - began}


def measure_scheduler(segments: int, store: Store, name: str, segment_seconds: float | None) -> list[str]:
    """Prints the overhead with a stand-in of one second; returns the goal if it was missed.

    `segment_seconds` is what a worker takes for a segment of the film of the speed; without it there is no goal.
    """
    if name not in store:
        store[name] = _measure(segments)
    print()
    for line in scheduler_lines(segments, store, name, segment_seconds):
        print(line)
    if segment_seconds is None:
        return []
    overhead = _idle(segments, store[name]) / segment_seconds
    return [] if overhead < _GOAL else [f"the overhead is {100 * overhead:.2f} %, not below {100 * _GOAL:g} %"]


def scheduler_lines(segments: int, store: Store, name: str, segment_seconds: float | None) -> list[str]:
    """Sentences about the result of a measurement."""
    wall, processor, ideal = (store[name][key] for key in ("wall", "processor", "ideal"))
    idle = _idle(segments, store[name])
    lines = [f"{segments} stand-ins of {SECONDS:g} s on {WORKERS} workers take {wall:.1f} s instead of {ideal:.1f} s: "
             f"a worker waits {1000 * idle:.0f} ms for each.",
             f"The scheduler takes {1000 * processor / segments:.2f} ms of processor time for each, with that of "
             f"{WORKERS} idle workers."]
    if segment_seconds is not None:
        lines.append(f"The wait is {100 * idle / segment_seconds:.2f} % of a segment of the film, which took "
                     f"{segment_seconds:.1f} s.")
    return lines


def _idle(segments: int, run: dict[str, float]) -> float:
    """How long a worker waits for the next segment, in seconds."""
    return (run["wall"] - run["ideal"]) * WORKERS / segments


def _measure(segments: int) -> dict[str, float]:
    """Wall time, processor time, and the wall time without a scheduler, in seconds."""
    spent: list[float] = []
    with tempfile.TemporaryDirectory(prefix="batch-scheduler-") as folder:
        manifest = Manifest(Path(folder) / "manifest")

        def on_done(_number: int, answer: dict[str, Any]) -> None:
            spent.append(answer["seconds"])
            manifest.add(Result(**answer["result"]))

        connection = connect(None, [], WORKERS)
        try:
            schedule = Schedule(connection, _stand_in, str(SECONDS), on_done, lambda _number, _text: None, lambda: None)
            processor, began = time.process_time(), time.monotonic()
            schedule.run(range(segments), "seek")
            wall, processor = time.monotonic() - began, time.process_time() - processor
        finally:
            connection.close()
    # In the last round, some workers have no segment.
    return {"wall": wall, "processor": processor, "ideal": -(-segments // WORKERS) * sum(spent) / len(spent)}
