"""A TCP relay between clients and the server. It simulates a network with jitter, stalls and lost connections."""

import asyncio
import random

from .delays import delay


class Relay:
    """Forwards data in order. Delays the fraction `share` of the blocks by a random time of 0 to `jitter` seconds."""

    def __init__(self, port: int, jitter: float, share: float = 1, seed: int = 1) -> None:
        self.port = port
        self.jitter, self.share = jitter, share
        self.random = random.Random(seed)
        self.open = asyncio.Event()
        self.open.set()
        self.writers: set[asyncio.StreamWriter] = set()
        self.server: asyncio.Server | None = None
        self.refuses = False

    async def start(self, host: str, port: int) -> None:
        self.server = await asyncio.start_server(self.serve, host, port)

    async def stall(self, seconds: float) -> None:
        """Delays all data for `seconds` without losing any."""
        self.open.clear()
        await delay(seconds)
        self.open.set()

    async def drop(self, seconds: float) -> None:
        """Closes all connections. Also closes new connections for `seconds`."""
        self.refuses = True
        for writer in list(self.writers):
            writer.transport.abort()
        await delay(seconds)
        self.refuses = False

    async def close(self) -> None:
        self.refuses = True
        self.open.set()
        self.server.close()
        for writer in list(self.writers):
            writer.transport.abort()
        await delay(0.1)

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if self.refuses:
            writer.transport.abort()
            return
        try:
            inner_reader, inner_writer = await asyncio.open_connection("127.0.0.1", self.port)
        except OSError:
            writer.transport.abort()
            return
        self.writers |= {writer, inner_writer}
        await asyncio.gather(self.forward(reader, inner_writer), self.forward(inner_reader, writer))
        self.writers -= {writer, inner_writer}

    async def forward(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        queue: asyncio.Queue[tuple[float, bytes]] = asyncio.Queue()
        sender = asyncio.create_task(self.send(queue, writer))
        loop = asyncio.get_running_loop()
        due = 0.0
        try:
            while data := await reader.read(65536):
                is_delayed = self.random.random() < self.share
                due = max(due, loop.time() + is_delayed * self.random.uniform(0, self.jitter))
                queue.put_nowait((due, data))
        except (ConnectionError, OSError):
            pass
        queue.put_nowait((due, b""))
        await sender

    async def send(self, queue: asyncio.Queue, writer: asyncio.StreamWriter) -> None:
        loop = asyncio.get_running_loop()
        try:
            while True:
                due, data = await queue.get()
                await delay(due - loop.time())
                await self.open.wait()
                if not data:
                    break
                writer.write(data)
                await writer.drain()
        except (ConnectionError, OSError):
            pass
        writer.close()
