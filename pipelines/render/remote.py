"""Connects to Dask workers through a scheduler, or starts them on hosts with SSH."""

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

# Timeout for the connection to a scheduler. Dask reads the same environment variable.
_TIMEOUT = os.environ.get("DASK_DISTRIBUTED__COMM__TIMEOUTS__CONNECT", "10s")
_WORKER_SECONDS = 15
# Time after which a worker without a scheduler ends. Starting a worker on a busy machine takes 15 s. Without this
# limit, a worker that starts while the program ends would retry forever.
_ORPHAN_SECONDS = 60
# Timeout for starting a worker. It is longer than `_ORPHAN_SECONDS`, so that the worker reports its own error first.
_START_SECONDS = 120
_ROLES = ("client", "scheduler", "worker")

# Send these modules by value, so that the scheduler and the workers do not need this package.
for _module in (task, tool):
    cloudpickle.register_pickle_by_value(_module)


def connect(scheduler: str | None, hosts: list[str]) -> Connection:
    """Connects to the workers. Raises Refusal if the connection fails."""
    for name in ("", ".client", ".scheduler", ".worker", ".nanny", ".core", ".deploy.spec"):
        # The program prints its own messages instead of the log of Dask.
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
    """Connects to a scheduler. Waits up to 15 s for the first worker."""
    client = _client(target, closing)
    with suppress(TimeoutError):
        client.wait_for_workers(1, timeout=_WORKER_SECONDS)
    return Connection(client, {}, False, closing)


def _client(target: Any, closing: ExitStack) -> Client:
    security = None
    if isinstance(target, str) and target.startswith("tls://"):
        # The connections to the workers that the scheduler lists must be encrypted, like that to the scheduler.
        security = Security(require_encryption=True)
        if not (security.tls_ca_file and security.tls_client_cert):
            raise Refusal(f"{target} needs a certificate, which the configuration of Dask names, such as in the "
                          "variables DASK_DISTRIBUTED__COMM__TLS__CA_FILE and __CLIENT__CERT; docs/batch.md has all.")
    with dask.config.set({"distributed.comm.timeouts.connect": _TIMEOUT}):
        return closing.enter_context(_Client(target, timeout=_TIMEOUT, security=security, set_as_default=False))


class _Client(Client):
    """Dask client that sends the functions of tasks by value, because other machines do not have this package."""

    def submit(self, function: Callable[..., Any], *arguments: Any, **options: Any) -> Any:
        return super().submit(_by_value(function), *arguments, **options)


class ByValue:
    """A function that pickle stores by value, so that a worker can load it without its module.

    Newer versions of Dask, such as 2026.8, use pickle instead of cloudpickle for a task in a graph.
    """

    def __init__(self, function: Callable[..., Any]) -> None:
        # Dask uses this name as the prefix of task keys.
        self.__name__ = function.__name__
        self._function, self._pickled = function, cloudpickle.dumps(function)

    def __call__(self, *arguments: Any) -> Any:
        return self._function(*arguments)

    def __reduce__(self) -> tuple[Callable[..., Any], tuple[bytes]]:
        return cloudpickle.loads, (self._pickled,)


# A film has thousands of tasks, and pickling a function by value takes milliseconds, so cache the pickled functions.
_by_value = cache(ByValue)


def _ssh_cluster(hosts: list[str], closing: ExitStack) -> SpecCluster:
    """Starts a scheduler in this process and a worker on each host. Raises Refusal with the hosts that fail."""
    # asyncssh prints warnings about unused ciphers.
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
                # The TimeoutError of `wait_for` has no text.
                await self._fail(str(error) or f"No worker has started within {_START_SECONDS} s")
            except Exception as error:
                await self._fail(str(error) or type(error).__name__)

        async def _fail(self, fault: str) -> None:
            faults[self.address] = fault
            # Dask does not kill the process of a worker that fails to start. Dask does not restart a closed worker.
            if self.proc is not None:
                # If the process has ended, its SSH channel is closed and `kill` raises OSError.
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
            # Skip the lines that a login shell may print before the program prints STARTED.
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
        # The exceptions of asyncssh and Dask have no other common base than Exception.
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
    """The address at which hosts reach this machine, if possible not a loopback address. Skips aliases of SSH."""
    names = [host.rpartition("@")[2] for host in hosts]
    found = []
    for name in names:
        with suppress(OSError):
            found.append(own_address(name))
    outside = [address for address in found if not address.startswith("127.")]
    return (outside or found or [own_address(names[0])])[0]


def _keys() -> dict[str, str]:
    """Creates the key and the certificate of one run, for the `Security` of Dask. All machines use the same key.

    The processes keep the key in memory only. The certificate is valid from two days ago. A certificate of
    `Security.temporary` would not yet be valid on a machine whose clock is slow.
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
