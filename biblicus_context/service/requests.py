"""One HTTP request: what its headers say is read once, and its body piece by piece."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from typing import Final

from starlette.requests import ClientDisconnect
from starlette.types import Receive, Scope

NAMED: Final = "biblicus_context.headers"
"""The key of a scope under which its headers are, once they are read."""


def named_headers(scope: Scope) -> Mapping[str, str]:
    """The headers of a request by name; of one that is there twice the first.

    >>> named_headers({"headers": [(b"host", b"one"), (b"host", b"two")]})
    {'host': 'one'}
    """
    found = scope.get(NAMED)
    if found is None:
        read = reversed(scope["headers"])
        found = {name.decode("latin-1"): value.decode("latin-1") for name, value in read}
        scope[NAMED] = found
    headers: Mapping[str, str] = found
    return headers


class HttpRequest:
    """A request that was let in by the frame."""

    __slots__ = ("_receive", "headers", "scope")

    def __init__(self, scope: Scope, receive: Receive) -> None:
        self.scope, self._receive = scope, receive
        self.headers = named_headers(scope)

    @property
    def names(self) -> Mapping[str, str]:
        """The names in the path."""
        found: Mapping[str, str] = self.scope.get("path_params") or {}
        return found

    @property
    def query(self) -> str:
        """What is after the question mark, as it came."""
        content: bytes = self.scope.get("query_string", b"")
        return content.decode("latin-1")

    @property
    def address(self) -> str:
        """Where it comes from; empty for a unix socket."""
        client = self.scope.get("client")
        return client[0] if client else ""

    async def pieces(self) -> AsyncIterator[bytes]:
        """The body as it comes; it ends with a `ClientDisconnect` if its client does."""
        is_more = True
        while is_more:
            message = await self._receive()
            if message["type"] != "http.request":
                raise ClientDisconnect
            if piece := message.get("body", b""):
                yield piece
            is_more = message.get("more_body", False)
