"""Runs a Dask worker on a machine that SSH reaches.

`remote` sends the source of this module and the arguments of `work` through SSH. The key is therefore never in a file,
a command line or the environment. The module imports only the standard library and Dask.
"""

import asyncio
import os
import socket
import sys
from typing import Any
from urllib.parse import urlsplit

# Line that a worker prints when it is connected to the scheduler.
STARTED = "the worker has started"
# Runs the source of this module. With PYTHONSAFEPATH, Python imports nothing from the current folder.
COMMAND = ("env PYTHONSAFEPATH=1 {python} -c 'import json, sys; given = json.loads(sys.stdin.readline()); "
           "exec(given.pop(\"program\")); work(**given)'")


def own_address(host: str) -> str:
    """The address at which a host reaches this machine."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        probe.connect((host, 22))
        return probe.getsockname()[0]


def without_http(server: type) -> type:
    """A subclass of a Dask server that does not start the HTTP server, which has no encryption."""
    return type(server.__name__, (server,), {"start_http_server": lambda *_arguments, **_options: None})


def work(scheduler: str, config: str, keys: dict[str, str], options: dict[str, Any]) -> None:
    """Runs a worker until the scheduler ends."""
    # Dask reads this variable when it is imported.
    os.environ["DASK_INTERNAL_INHERIT_CONFIG"] = config
    from distributed import Security, Worker

    del os.environ["DASK_INTERNAL_INHERIT_CONFIG"]

    async def run() -> None:
        worker = await without_http(Worker)(
            scheduler, host=own_address(urlsplit(scheduler).hostname), local_directory=folder,
            security=Security(require_encryption=True, **keys), **options)
        print(STARTED, flush=True)
        # `remote` stops reading the output here. More output would fill the pipe and block the worker.
        nowhere = os.open(os.devnull, os.O_WRONLY)
        for stream in (sys.stdout, sys.stderr):
            os.dup2(nowhere, stream.fileno())
        await worker.finished()

    # By default, Dask uses the current folder, which may be shared. Dask writes files to its folder, imports modules
    # from it, and removes the files of killed workers in it.
    folder = os.path.join(os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache"), "pipelines-batch")
    os.makedirs(folder, mode=0o700, exist_ok=True)
    asyncio.run(run())
