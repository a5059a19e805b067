"""Waits that are part of the playback or of the simulated network."""

import asyncio


async def delay(seconds: float) -> None:
    loop = asyncio.get_running_loop()
    reached = loop.create_future()
    handle = loop.call_later(max(seconds, 0), reached.set_result, None)
    try:
        await reached
    finally:
        handle.cancel()
