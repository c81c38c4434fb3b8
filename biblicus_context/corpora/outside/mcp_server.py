"""A server of the Model Context Protocol over HTTP, asked with the official SDK. Only this file imports its client."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final
from urllib.parse import unquote, urlsplit, urlunsplit

from biblicus_context.errors import ContextError, MissingExtraError, PlanError
from biblicus_context.stores import StoreError

try:
    import httpx2
    from mcp import Client
    from mcp.client.streamable_http import streamable_http_client
except ImportError:
    raise MissingExtraError("mcp", "mcp") from None

_MOST_BYTES: Final = 4_000_000
"""Of each response of a server."""


@dataclass(frozen=True, slots=True)
class McpServer:
    """Its address, a key, and the tools that plans may call."""

    url: str
    key: str | None
    tools: frozenset[str]
    """Those that the operator allows; without any, those that say they only read."""

    @classmethod
    def of(cls, url: str) -> McpServer:
        """What a connection says.

        >>> McpServer.of("https://:4711@wiki.example/mcp#search").url
        'https://wiki.example/mcp'
        """
        parts = urlsplit(url)
        host = parts.netloc.rpartition("@")[2]
        tools = frozenset(each.strip() for each in parts.fragment.split(",") if each.strip())
        key = None if parts.password is None else unquote(parts.password)
        return cls(urlunsplit((parts.scheme, host, parts.path, parts.query, "")), key, tools)

    async def called(
        self, tool: str, arguments: Mapping[str, Any], seconds: float, place: str
    ) -> Any:
        """What a tool answers; a StoreError if it does not, in time or at all."""
        logging.getLogger("mcp").setLevel(logging.CRITICAL)  # it logs answers with their texts
        try:
            async with asyncio.timeout(seconds):
                return await self._called(tool, arguments, place)
        except TimeoutError:
            raise StoreError(f"{place}: the server did not answer within {seconds:g} s") from None
        except Exception as error:  # whatever the SDK, the network or the server come up with
            cause = _first(error)
            if isinstance(cause, ContextError):
                raise cause from None
            problem = f"{place}: the server cannot be asked: {type(cause).__name__}"
            raise StoreError(problem) from None

    async def _called(self, tool: str, arguments: Mapping[str, Any], place: str) -> Any:
        headers = {"authorization": f"Bearer {self.key}"} if self.key else {}
        async with (
            httpx2.AsyncClient(transport=_Bounded(), headers=headers) as http,
            Client(streamable_http_client(self.url, http_client=http)) as client,
        ):
            if tool not in self.tools:
                self._require_reading(tool, (await client.list_tools()).tools, place)
            answer = await client.call_tool(tool, dict(arguments))
        if answer.is_error:
            raise StoreError(f"{place}: the tool '{tool}' answered with an error")
        return answer

    def _require_reading(self, tool: str, known: Sequence[Any], place: str) -> None:
        reads = [
            each.name for each in known if each.annotations and each.annotations.read_only_hint
        ]
        if not self.tools and tool in reads:
            return
        is_there = any(each.name == tool for each in known)
        problem = "the tool does not say that it only reads" if is_there else "unknown tool"
        raise PlanError(
            "the connection does not allow this tool" if self.tools else problem,
            place=f"{place}.tool",
            found=tool,
            valid=sorted(self.tools or reads),
            fix="Allow it in the URL of the connection, as in https://host/mcp#search,lookup.",
        )


class _Bounded(httpx2.AsyncHTTPTransport):
    """Ends a response that does not end."""

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        response = await super().handle_async_request(request)
        assert isinstance(response.stream, httpx2.AsyncByteStream)
        response.stream = _BoundedStream(response.stream)
        return response


class _BoundedStream(httpx2.AsyncByteStream):
    def __init__(self, inner: httpx2.AsyncByteStream) -> None:
        self._inner = inner

    async def __aiter__(self) -> AsyncIterator[bytes]:
        left = _MOST_BYTES
        async for piece in self._inner:
            left -= len(piece)
            if left < 0:
                raise StoreError(f"an answer has more than {_MOST_BYTES:,} bytes")
            yield piece

    async def aclose(self) -> None:
        await self._inner.aclose()


def _first(error: BaseException) -> BaseException:
    """What went wrong first, of a group of tasks."""
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    return error
