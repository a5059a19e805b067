"""Connects to workers of Dask: those of a scheduler, or those on hosts that SSH reaches."""

import asyncio
import datetime
import json
import logging
import os
import warnings
from collections.abc import Callable
from contextlib import ExitStack, suppress
from functools import cache
from pathlib import Path
from typing import Any

import cloudpickle
import dask
from distributed import Client, Scheduler, Security, SpecCluster

from . import host as host_program
from . import task, tool
from .cluster import RESOURCE, Connection
from .host import COMMAND, STARTED, own_address, without_http
from .refusal import Refusal

# How long a scheduler may not answer; the variable is Dask's own.
_TIMEOUT = os.environ.get("DASK_DISTRIBUTED__COMM__TIMEOUTS__CONNECT", "10s")
_WORKER_SECONDS = 15
# How long a worker tries to reach the scheduler before it ends; a busy machine needs 15 s to start one. Without this
# limit, one that starts while the program ends would try for ever.
_ORPHAN_SECONDS = 60
# How long a host may take to start a worker: longer than `_ORPHAN_SECONDS`, so that its own error comes first.
_START_SECONDS = 120
_ROLES = ("client", "scheduler", "worker")

# Scheduler and workers receive these modules as they are; they need not have the package.
for _module in (task, tool):
    cloudpickle.register_pickle_by_value(_module)


def connect(scheduler: str | None, hosts: list[str]) -> Connection:
    """Connects; raises Refusal if nothing answers."""
    for name in ("", ".client", ".scheduler", ".worker", ".nanny", ".core", ".deploy.spec"):
        # What matters reaches the user as a sentence.
        logging.getLogger("distributed" + name).setLevel(logging.CRITICAL)
    logging.getLogger("asyncio").setLevel(logging.CRITICAL)
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
    security = None
    if isinstance(target, str) and target.startswith("tls://"):
        # The scheduler names the workers, which must be encrypted too.
        security = Security(require_encryption=True)
        if not (security.tls_ca_file and security.tls_client_cert):
            raise Refusal(f"{target} needs a certificate, which the configuration of Dask names, such as in the "
                          "variables DASK_DISTRIBUTED__COMM__TLS__CA_FILE and __CLIENT__CERT; docs/batch.md has all.")
    with dask.config.set({"distributed.comm.timeouts.connect": _TIMEOUT}):
        return closing.enter_context(_Client(target, timeout=_TIMEOUT, security=security, set_as_default=False))


class _Client(Client):
    """Sends tasks whose functions no other machine has."""

    def submit(self, function: Callable[..., Any], *arguments: Any, **options: Any) -> Any:
        return super().submit(_by_value(function), *arguments, **options)


class ByValue:
    """A function that pickle stores as cloudpickle does, so that it can be read without its module.

    Newer versions of Dask, such as 2026.8, pickle a task as a part of a graph, without asking cloudpickle.
    """

    def __init__(self, function: Callable[..., Any]) -> None:
        # Dask names tasks after it.
        self.__name__ = function.__name__
        self._function, self._pickled = function, cloudpickle.dumps(function)

    def __call__(self, *arguments: Any) -> Any:
        return self._function(*arguments)

    def __reduce__(self) -> tuple[Callable[..., Any], tuple[bytes]]:
        return cloudpickle.loads, (self._pickled,)


# To pickle a function by value takes milliseconds, and a film has thousands of tasks.
_by_value = cache(ByValue)


def _ssh_cluster(hosts: list[str], closing: ExitStack) -> SpecCluster:
    """The scheduler runs here; each host gets a worker. Raises Refusal with the hosts that cannot be used."""
    # asyncssh prints warnings about ciphers that nobody uses.
    warnings.simplefilter("ignore")
    from distributed.deploy.ssh import Process

    faults: dict[str, str] = {}
    keys = _keys()
    security = Security(require_encryption=True, **keys)

    class Worker(Process):
        def __init__(self, scheduler: str, host: str, name: str) -> None:
            super().__init__(scheduler=scheduler, name=name)
            self.address, self._scheduler = host, scheduler

        async def start(self) -> None:
            try:
                await asyncio.wait_for(self._start(), _START_SECONDS)
            except asyncio.TimeoutError as error:
                # That of `wait_for` has no text.
                await self._fail(str(error) or f"No worker has started within {_START_SECONDS} s")
            except Exception as error:
                await self._fail(str(error) or type(error).__name__)

        async def _fail(self, fault: str) -> None:
            faults[self.address] = fault
            # Dask does not start a closed worker again, and leaves the process of one that has not started.
            if self.proc is not None:
                # The channel of a process that has ended is closed.
                with suppress(OSError):
                    self.proc.kill()
                self.proc = None
            await self.close()

        async def _start(self) -> None:
            import asyncssh

            self.connection = await asyncssh.connect(self.address)
            self.proc = await self.connection.create_process(COMMAND.format(python=tool.python_with_gstreamer()))
            self.proc.stdin.write(json.dumps({
                "program": Path(host_program.__file__).read_text(encoding="utf-8"), "scheduler": self._scheduler,
                "config": dask.config.serialize(dask.config.global_config), "keys": keys,
                "options": {"name": self.address, "nthreads": 1, "resources": {RESOURCE: 1},
                            "death_timeout": _ORPHAN_SECONDS}}) + "\n")
            # A shell may print lines of its own.
            while (line := await self.proc.stdout.readline()).strip() != STARTED:
                if not line:
                    last = (await self.proc.stderr.read()).strip().splitlines()[-1:]
                    raise RuntimeError("Worker failed to start" + "".join(f": {text}" for text in last))
            await super().start()

    cause = None
    try:
        cluster = closing.enter_context(SpecCluster(
            workers={host: {"cls": Worker, "options": {"host": host}} for host in hosts}, security=security,
            scheduler={"cls": without_http(Scheduler), "options": {
                "host": _reachable_address(hosts), "security": security}}))
    except Exception as error:
        # The exceptions of asyncssh have no common class with others, and Dask raises plain ones.
        if not faults:
            raise Refusal(f"SSH cannot start workers on {', '.join(hosts)}: {error}") from error
        cause = error
    if faults:
        lines = [f"{host}: {fault}" for host, fault in faults.items()]
        raise Refusal("SSH cannot start a worker on each host:\n" + "\n".join(lines) + "\nEach host must accept a key "
                      "of this machine without a password, and have Python with distributed in the same version."
                      ) from cause
    return cluster


def _reachable_address(hosts: list[str]) -> str:
    """The address of this machine for the hosts. One may be this machine itself, and one a name that only SSH knows."""
    names = [host.rpartition("@")[2] for host in hosts]
    found = []
    for name in names:
        with suppress(OSError):
            found.append(own_address(name))
    outside = [address for address in found if not address.startswith("127.")]
    return (outside or found or [own_address(names[0])])[0]


def _keys() -> dict[str, str]:
    """The key of one run and its certificate, for the `Security` of Dask. All machines have the same.

    They are in the memory of the processes only. Those of `Security.temporary` are not yet valid on a machine whose
    clock is behind.
    """
    from cryptography import x509
    from cryptography.hazmat.primitives import hashes, serialization
    from cryptography.hazmat.primitives.asymmetric import ec

    key, now = ec.generate_private_key(ec.SECP256R1()), datetime.datetime.now(datetime.timezone.utc)
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "pipelines/batch")])
    usage = dict.fromkeys(("content_commitment", "key_encipherment", "data_encipherment", "key_agreement", "crl_sign",
                           "encipher_only", "decipher_only"), False)
    certificate = (
        x509.CertificateBuilder().subject_name(name).issuer_name(name).public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - datetime.timedelta(days=2)).not_valid_after(now + datetime.timedelta(days=365))
        .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
        .add_extension(x509.KeyUsage(digital_signature=True, key_cert_sign=True, **usage), critical=True)
        .add_extension(x509.SubjectKeyIdentifier.from_public_key(key.public_key()), critical=False)
        .sign(key, hashes.SHA256()).public_bytes(serialization.Encoding.PEM).decode())
    secret = key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8,
                               serialization.NoEncryption()).decode()
    return {"tls_ca_file": certificate, **{f"tls_{role}_cert": certificate for role in _ROLES},
            **{f"tls_{role}_key": secret for role in _ROLES}}
