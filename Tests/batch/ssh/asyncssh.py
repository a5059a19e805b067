"""Replaces asyncssh in tests. Each host is this machine, and no network is used.

Hosts whose names end in `.test` have a fault or a different environment.
"""

import asyncio
import json
import os
import shlex
import signal
from contextlib import suppress
from types import SimpleNamespace
from typing import Any


class _Text:
    """Decodes a stream of bytes to text."""

    def __init__(self, stream: asyncio.StreamReader) -> None:
        self._stream = stream

    async def readline(self) -> str:
        return (await self._stream.readline()).decode()

    async def read(self) -> str:
        return (await self._stream.read()).decode()


class _Process:
    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self._process = process
        self.stdin = SimpleNamespace(write=lambda text: process.stdin.write(text.encode()))
        self.stdout, self.stderr = _Text(process.stdout), _Text(process.stderr)

    def kill(self) -> None:
        if self._process.returncode is not None:
            raise OSError("Channel not open")
        with suppress(ProcessLookupError):
            os.killpg(self._process.pid, signal.SIGKILL)


class PermissionDenied(Exception):
    """The host rejects the key. As in asyncssh, the base class is not OSError."""


class _Connection:
    def __init__(self, host: str) -> None:
        self._host = host

    async def create_process(self, command: str) -> _Process:
        if self._host == "bare.test":
            command = "echo No module named distributed >&2"
        if self._host == "hung.test":
            command = "exec sleep infinity"
        if self._host == "old.test":
            # This host has no decoder for the clip of the test.
            command = f"export GST_PLUGIN_FEATURE_RANK=avdec_ffv1:NONE; {command}"
        if self._host == "other.test":
            # This host decodes VP8 with libav.
            command = f"export GST_PLUGIN_FEATURE_RANK=vp8dec:NONE; {command}"
        # HOST_PROCESSES maps a host to the id of a process in the network namespace of the host.
        process = json.loads(os.environ.get("HOST_PROCESSES", "{}")).get(self._host)
        if process is not None:
            command = shlex.join(["nsenter", "-n", "-t", str(process), "sh", "-c", command])
        # SSH does not transfer the variables of Python.
        environment = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
        pipe = asyncio.subprocess.PIPE
        return _Process(await asyncio.create_subprocess_shell(
            command, stdin=pipe, stdout=pipe, stderr=pipe, env=environment, start_new_session=True))

    def close(self) -> None:
        pass


async def connect(host: str, **_options: Any) -> _Connection:
    if host == "locked.test":
        raise PermissionDenied("Permission denied for user batch")
    if host == "silent.test":
        # This host accepts the connection and sends nothing.
        await asyncio.Event().wait()
    return _Connection(host)
