"""Connects to workers: local ones, those of a scheduler, or those on hosts that SSH reaches."""

import logging
import os
import socket
import time
import warnings
from contextlib import ExitStack, suppress
from dataclasses import dataclass, field
from typing import Any

import cloudpickle
import dask
from distributed import Client, LocalCluster, Scheduler, SpecCluster

from . import task, tool
from .refusal import Refusal

# How long a scheduler may not answer; the variable is Dask's own.
_TIMEOUT = os.environ.get("DASK_DISTRIBUTED__COMM__TIMEOUTS__CONNECT", "10s")
_REFRESH_SECONDS = 2.0
_WORKER_SECONDS = 15
# Resource that limits a worker to one segment at a time, if the worker has it.
RESOURCE = "render"


@dataclass
class Connection:
    """A client of a scheduler with workers."""

    client: Client
    # Names of local workers, and the processors that each may use.
    processors: dict[str, list[int]]
    is_local: bool
    _closing: ExitStack
    _workers: dict[str, Any] = field(default_factory=dict)
    _asked: float = 0

    def close(self) -> None:
        """A scheduler that is gone cannot be told."""
        with suppress(OSError, TimeoutError, RuntimeError):
            self._closing.close()

    def workers(self) -> dict[str, Any]:
        """The workers by address; asks the scheduler every few seconds."""
        if not self._workers or time.monotonic() - self._asked > _REFRESH_SECONDS:
            self._asked = time.monotonic()
            with suppress(OSError, TimeoutError):
                self._workers = all_workers(self.client)
        return self._workers

    def slots(self) -> int:
        """The number of segments that the workers render at a time."""
        return slots_of(self.workers())


def slots_of(workers: dict[str, Any]) -> int:
    """A worker renders a segment on each of its threads; the resource limits this if all workers have it."""
    threads = [worker.get("nthreads", 1) for worker in workers.values()]
    limits = [worker.get("resources", {}).get(RESOURCE) for worker in workers.values()]
    if None in limits:
        return sum(threads)
    return sum(int(min(pair)) for pair in zip(threads, limits))


def all_workers(client: Client) -> dict[str, Any]:
    """The workers by address. Without an argument, newer versions of Dask list five of them."""
    try:
        info = client.scheduler_info(n_workers=-1)
    except TypeError:
        info = client.scheduler_info()
    return dict(info.get("workers", {}))


def share_processors(processors: list[int], workers: int) -> dict[str, list[int]]:
    """Divides processors among workers; each has at least one."""
    if workers >= len(processors):
        return {str(number): [processors[number % len(processors)]] for number in range(workers)}
    bounds = [len(processors) * number // workers for number in range(workers + 1)]
    return {str(number): processors[bounds[number]:bounds[number + 1]] for number in range(workers)}


def default_workers(frame_bytes: int) -> int:
    """One for each processor, as far as the memory suffices: an encoder holds about a hundred frames."""
    try:
        with open("/proc/meminfo", encoding="ascii") as file:
            available = next(int(line.split()[1]) * 1024 for line in file if line.startswith("MemAvailable"))
    except (OSError, StopIteration):
        available = 1 << 32
    needed = 120 * frame_bytes + 200_000_000
    return max(1, min(len(os.sched_getaffinity(0)), available * 8 // 10 // needed))


def connect(scheduler: str | None, hosts: list[str], workers: int) -> Connection:
    """Connects; raises Refusal if nothing answers. `workers` is for local workers only."""
    for name in ("", ".client", ".scheduler", ".worker", ".nanny", ".core", ".deploy.spec"):
        # What matters reaches the user as a sentence.
        logging.getLogger("distributed" + name).setLevel(logging.CRITICAL)
    logging.getLogger("asyncio").setLevel(logging.CRITICAL)
    # Workers receive these modules as they are; they need not have the package.
    for module in (task, tool):
        cloudpickle.register_pickle_by_value(module)
    closing = ExitStack()
    try:
        if scheduler is not None:
            return _remote(scheduler, closing)
        if hosts:
            return _remote(_ssh_cluster(hosts, closing), closing)
        # Threads suffice: each segment has a process of its own. So the stacks and the memory of this process, which
        # each worker would otherwise sample many times a second, say nothing about a segment.
        with dask.config.set({"distributed.worker.profile.enabled": False}):
            cluster = closing.enter_context(LocalCluster(
                n_workers=workers, threads_per_worker=1, processes=False, memory_limit=None,
                dashboard_address=_dashboard()))
        processors = share_processors(sorted(os.sched_getaffinity(0)), workers)
        return Connection(_client(cluster, closing), processors, True, closing)
    except Refusal:
        closing.close()
        raise
    except (OSError, TimeoutError, RuntimeError, ValueError, ImportError) as error:
        closing.close()
        where = scheduler or (f"the hosts {', '.join(hosts)}" if hosts else "local workers")
        raise Refusal(f"Dask cannot connect to {where}: {error}") from error


def _remote(target: Any, closing: ExitStack) -> Connection:
    """A scheduler that has just started may have no workers yet."""
    client = _client(target, closing)
    with suppress(TimeoutError):
        client.wait_for_workers(1, timeout=_WORKER_SECONDS)
    return Connection(client, {}, False, closing)


def _client(target: Any, closing: ExitStack) -> Client:
    with dask.config.set({"distributed.comm.timeouts.connect": _TIMEOUT}):
        return closing.enter_context(Client(target, timeout=_TIMEOUT, set_as_default=False))


def _dashboard() -> str | None:
    try:
        import bokeh  # noqa: F401
    except ImportError:
        return None
    return "127.0.0.1:0"


def _ssh_cluster(hosts: list[str], closing: ExitStack) -> SpecCluster:
    """The scheduler runs here; each host gets a worker. Raises Refusal with the hosts that cannot be used."""
    # asyncssh prints warnings about ciphers that nobody uses.
    warnings.simplefilter("ignore")
    from distributed.deploy.ssh import Worker

    faults: dict[str, str] = {}

    class NamedWorker(Worker):
        async def start(self) -> None:
            try:
                await super().start()
            except Exception as error:
                # Dask tries again, and then fails with an assertion.
                faults.setdefault(self.address, str(error) or type(error).__name__)
                raise

    options = {"nthreads": 1, "resources": {RESOURCE: 1}}
    try:
        return closing.enter_context(SpecCluster(
            workers={host: {"cls": NamedWorker, "options": {
                "address": host, "connect_options": {}, "kwargs": dict(options), "worker_class": "distributed.Nanny",
                "remote_python": tool.python_with_gstreamer()}} for host in hosts},
            scheduler={"cls": Scheduler, "options": {"host": _own_address(hosts[0]), "dashboard_address": None,
                                                     "dashboard": False}}))
    except Exception as error:
        # The exceptions of asyncssh have no common class with others, and Dask raises plain ones.
        if not faults:
            raise Refusal(f"SSH cannot start workers on {', '.join(hosts)}: {error}") from error
        lines = [f"{host}: {fault}" for host, fault in faults.items()]
        raise Refusal("SSH cannot start a worker on each host:\n" + "\n".join(lines) + "\nEach host must accept a key "
                      "of this machine without a password, and have Python with distributed in the same version."
                      ) from error


def _own_address(host: str) -> str:
    """The address of this machine on the network of a host."""
    name = host.rpartition("@")[2]
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        probe.connect((name, 22))
        return probe.getsockname()[0]
