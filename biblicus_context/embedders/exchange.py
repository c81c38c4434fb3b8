"""One request and its answer, within a total time and a size."""

from __future__ import annotations

import asyncio
import os
import weakref
from collections.abc import Mapping
from functools import partial
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from biblicus_context.base.deadlines import at_most
from biblicus_context.base.threads import start_thread
from biblicus_context.embedders.server import http_library

if TYPE_CHECKING:
    import httpx

_GRACE: Final = 5
"""Seconds that ending an exchange may take."""


class HttpResponse(NamedTuple):
    """What a server answered."""

    status: int
    body: bytes
    retry_after: str | None


class TooLargeError(Exception):
    """An answer is larger than an answer to this request can be."""


class PostClient:
    """Posts to one address.

    It runs on an event loop in a thread of its own: only there a whole exchange can be ended in
    time. A time limit of httpx starts again at every byte, also for headers, so that a slow server
    could hold a call for ever.
    """

    def __init__(
        self, url: str, *, headers: Mapping[str, str], seconds: float, is_proxied: bool
    ) -> None:
        self._url = url
        self._seconds = seconds
        self._headers = {**headers, "Accept-Encoding": "identity"}
        self._is_proxied = is_proxied
        self._start()

    def post(self, content: Mapping[str, Any], *, most_bytes: int) -> HttpResponse:
        """Send JSON; TimeoutError, TooLargeError or an error of httpx without an answer."""
        if self._process != os.getpid():
            self._start()  # the thread is not part of a forked process
        work = asyncio.run_coroutine_threadsafe(self._within(content, most_bytes), self._loop)
        try:
            return work.result(self._seconds + _GRACE)
        finally:
            work.cancel()

    def close(self) -> None:
        """Close the connections and end the thread."""
        self._end()

    def _start(self) -> None:
        self._process = os.getpid()
        self._loop = loop = asyncio.new_event_loop()
        # No redirects: they would send the key to another host. No proxy for this machine's own
        # servers: it would read the key.
        client = http_library().AsyncClient(
            headers=self._headers,
            timeout=self._seconds,
            follow_redirects=False,
            trust_env=self._is_proxied,
        )
        self._client: httpx.AsyncClient = client
        start_thread(partial(_serve, loop))
        self._end = weakref.finalize(self, _end, loop, client)
        self._end.atexit = False

    async def _within(self, content: Mapping[str, Any], most_bytes: int) -> HttpResponse:
        async with asyncio.timeout(at_most(self._seconds)):
            async with self._client.stream("POST", self._url, json=content) as response:
                body = await _body(response, most_bytes)
        return HttpResponse(response.status_code, body, response.headers.get("Retry-After"))


async def _body(response: httpx.Response, most_bytes: int) -> bytes:
    """The answer as it was sent: an unpacked one could be a thousand times larger."""
    if response.headers.get("Content-Encoding", "identity").lower() != "identity":
        raise TooLargeError("the answer is compressed, which was not asked for")
    received = bytearray()
    async for chunk in response.aiter_raw():
        received += chunk
        if len(received) > most_bytes:
            raise TooLargeError(f"the answer is larger than {most_bytes:,} bytes")
    return bytes(received)


def _serve(loop: asyncio.AbstractEventLoop) -> None:
    loop.run_forever()
    loop.close()


def _end(loop: asyncio.AbstractEventLoop, client: httpx.AsyncClient) -> None:
    async def close() -> None:
        await client.aclose()
        loop.stop()

    asyncio.run_coroutine_threadsafe(close(), loop)
