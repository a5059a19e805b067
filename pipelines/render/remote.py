"""Connects to workers of Dask: those of a scheduler, or those on hosts that SSH reaches."""

import logging
import os
import socket
import warnings
from contextlib import ExitStack, suppress
from typing import Any

import cloudpickle
import dask
from distributed import Client, Scheduler, SpecCluster

from . import task, tool
from .cluster import RESOURCE, Connection
from .refusal import Refusal

# How long a scheduler may not answer; the variable is Dask's own.
_TIMEOUT = os.environ.get("DASK_DISTRIBUTED__COMM__TIMEOUTS__CONNECT", "10s")
_WORKER_SECONDS = 15
# How long a worker tries to reach the scheduler before it ends; a busy machine needs 15 s to start one. Without this
# limit, one that starts while the program ends would try for ever.
_ORPHAN_SECONDS = 60


def connect(scheduler: str | None, hosts: list[str]) -> Connection:
    """Connects; raises Refusal if nothing answers."""
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
        return _remote(_ssh_cluster(hosts, closing), closing)
    except Refusal:
        closing.close()
        raise
    except (OSError, TimeoutError, RuntimeError, ValueError, ImportError) as error:
        closing.close()
        where = scheduler or f"the hosts {', '.join(hosts)}"
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

    options = {"nthreads": 1, "resources": {RESOURCE: 1}, "death_timeout": _ORPHAN_SECONDS}
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
