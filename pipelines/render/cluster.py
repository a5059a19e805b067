"""Connections to workers: threads of this machine, or Dask workers on other machines."""

import os
import time
from contextlib import ExitStack, suppress
from dataclasses import dataclass, field
from typing import Any

from .local import LocalClient

_REFRESH_SECONDS = 2.0
# Name of the Dask resource. A worker with `render=1` renders one segment at a time.
RESOURCE = "render"


@dataclass
class Connection:
    """A client and its workers. The client is a `LocalClient` or a Dask client."""

    client: Any
    # Processors that each local worker may use, by the name of the worker.
    processors: dict[str, list[int]]
    is_local: bool
    _closing: ExitStack
    _workers: dict[str, Any] = field(default_factory=dict)
    _asked: float = 0

    def close(self) -> None:
        """Closes the client. Ignores the errors of a scheduler that has already ended."""
        with suppress(OSError, TimeoutError, RuntimeError):
            self._closing.close()

    def workers(self) -> dict[str, Any]:
        """The workers by address, at most 2 s old."""
        if not self._workers or time.monotonic() - self._asked > _REFRESH_SECONDS:
            self._asked = time.monotonic()
            with suppress(OSError, TimeoutError):
                self._workers = all_workers(self.client)
        return self._workers

    def slots(self) -> int:
        """Number of segments that the workers render at the same time."""
        return slots_of(self.workers())


def slots_of(workers: dict[str, Any]) -> int:
    """Number of segments rendered at the same time: one per thread, limited by RESOURCE if all workers have it."""
    threads = [worker.get("nthreads", 1) for worker in workers.values()]
    limits = [worker.get("resources", {}).get(RESOURCE) for worker in workers.values()]
    if None in limits:
        return sum(threads)
    return sum(int(min(pair)) for pair in zip(threads, limits))


def all_workers(client: Any) -> dict[str, Any]:
    """The workers by address. Without `n_workers=-1`, newer versions of Dask return only five workers."""
    try:
        info = client.scheduler_info(n_workers=-1)
    except TypeError:
        info = client.scheduler_info()
    return dict(info.get("workers", {}))


def share_processors(processors: list[int], workers: int) -> dict[str, list[int]]:
    """Divides processors among workers. Each worker gets at least one."""
    if workers >= len(processors):
        return {str(number): [processors[number % len(processors)]] for number in range(workers)}
    bounds = [len(processors) * number // workers for number in range(workers + 1)]
    return {str(number): processors[bounds[number]:bounds[number + 1]] for number in range(workers)}


def default_workers(frame_bytes: int) -> int:
    """Number of workers: one per processor, or fewer if memory is short. An encoder holds about 100 frames."""
    try:
        with open("/proc/meminfo", encoding="ascii") as file:
            available = next(int(line.split()[1]) * 1024 for line in file if line.startswith("MemAvailable"))
    except (OSError, StopIteration):
        available = 1 << 32
    needed = 120 * frame_bytes + 200_000_000
    return max(1, min(len(os.sched_getaffinity(0)), available * 8 // 10 // needed))


def connect_locally(workers: int) -> Connection:
    """Starts workers on this machine. Each worker gets a share of the processors."""
    client, closing = LocalClient(workers), ExitStack()
    closing.callback(client.close)
    return Connection(client, share_processors(sorted(os.sched_getaffinity(0)), workers), True, closing)
