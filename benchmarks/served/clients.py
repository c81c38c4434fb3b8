"""Clients of a served process: connections that stay open, and as little else as possible."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from time import perf_counter
from typing import Any, Final, TypeAlias

from benchmarks.served.process import ServedProcess

Send: TypeAlias = Callable[[str, dict[str, Any]], Awaitable[int]]
"""Posts a body to a path, and returns the status of the answer."""
_LENGTH: Final = re.compile(rb"content-length: (\d+)")


@asynccontextmanager
async def connected(server: ServedProcess) -> AsyncIterator[Send]:
    """One connection."""
    reader, writer = await asyncio.open_connection(server.host, server.port)

    async def send(path: str, body: dict[str, Any]) -> int:
        content = json.dumps(body).encode()
        head = (
            f"POST {path} HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n"
            f"content-length: {len(content)}\r\n\r\n"
        )
        writer.write(head.encode() + content)
        answer = await reader.readuntil(b"\r\n\r\n")
        length = _LENGTH.search(answer)
        if length is not None:
            await reader.readexactly(int(length[1]))
        return int(answer[9:12])

    try:
        yield send
    finally:
        writer.close()


async def alone(server: ServedProcess, path: str, bodies: list[dict[str, Any]]) -> list[float]:
    """Milliseconds of each request of a client that is the only one."""
    times = []
    async with connected(server) as send:
        for each in bodies:
            began = perf_counter()
            status = await send(path, each)
            times.append(1e3 * (perf_counter() - began))
            if status != 200:
                raise RuntimeError(f"{path} answered {status}")
    return times
