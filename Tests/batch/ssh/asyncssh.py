"""Stands in for asyncssh: each host is this machine. It has what Dask's SSH workers use, and no network.

The hosts whose names end in `.test` have faults, or differ.
"""

import asyncio
import os
import signal
from contextlib import suppress
from typing import Any


class _Lines:
    """Text lines of a stream of bytes."""

    def __init__(self, stream: asyncio.StreamReader) -> None:
        self._stream = stream

    async def readline(self) -> str:
        return (await self._stream.readline()).decode()


class _Process:
    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self._process = process
        self.stderr = _Lines(process.stderr)
        self.exit_status = 0

    def kill(self) -> None:
        with suppress(ProcessLookupError):
            os.killpg(self._process.pid, signal.SIGKILL)


class PermissionDenied(Exception):
    """As in asyncssh, not an OSError."""


class _Connection:
    def __init__(self, host: str) -> None:
        self._host = host

    async def run(self, command: str) -> _Process:
        process = await self.create_process(command)
        process.exit_status = await process._process.wait()
        return process

    async def create_process(self, command: str) -> _Process:
        if self._host == "bare.test" and "dask_spec" in command:
            command = "true"
        if self._host == "old.test":
            # No decoder for the clip of the test.
            command = f"export GST_PLUGIN_FEATURE_RANK=avdec_ffv1:NONE; {command}"
        if self._host == "other.test":
            # VP8 is decoded by libav.
            command = f"export GST_PLUGIN_FEATURE_RANK=vp8dec:NONE; {command}"
        return _Process(await asyncio.create_subprocess_shell(
            command, stdout=asyncio.subprocess.DEVNULL, stderr=asyncio.subprocess.PIPE, start_new_session=True))

    def close(self) -> None:
        pass


async def connect(host: str, **_options: Any) -> _Connection:
    if host == "locked.test":
        raise PermissionDenied("Permission denied for user batch")
    return _Connection(host)
