"""Calls to a Qdrant server, or to the servers of a cluster: the one place that loads its library.

Its messages are used as they are: the objects of the library above them take three times as long to make.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from typing import Any, Final, NamedTuple, TypeVar
from urllib.parse import parse_qsl, urlsplit

from biblicus_context.base.deadlines import at_most
from biblicus_context.base.forks import child_lock
from biblicus_context.errors import InputError, MissingExtraError
from biblicus_context.stores.addresses import QDRANT
from biblicus_context.stores.errors import StoreError

T = TypeVar("T")

_PORT: Final = 6334
_SECONDS: Final = 20
"""Seconds that a call may take."""
_WAITS: Final = (0.1, 0.3, 1.0)
"""Seconds between attempts to reach a server."""
_RECONNECTS: Final = {
    "grpc.initial_reconnect_backoff_ms": 50,
    "grpc.min_reconnect_backoff_ms": 50,
    "grpc.max_reconnect_backoff_ms": 200,
}
"""By itself, gRPC would not try for a second, then for two, up to two minutes."""


class QdrantPlace(NamedTuple):
    """Where the servers of a cluster are, or one alone; its name in errors has no key."""

    hosts: tuple[tuple[str, int], ...]
    has_tls: bool
    key: str | None
    cache: str | None = None
    """A folder of this machine for embeddings."""

    @property
    def name(self) -> str:
        listed = ",".join(f"{host}:{port}" for host, port in self.hosts)
        return f"{QDRANT[self.has_tls]}://{listed}"


def server_of(url: str) -> QdrantPlace:
    """The servers of `qdrant://HOST:PORT` or `qdrant://HOST:PORT,HOST:PORT`, with a key as the password of the URL.

    >>> server_of("qdrant://one:6334,two").hosts
    (('one', 6334), ('two', 6334))
    """
    parts = urlsplit(url)
    valid = [f"{each}://HOST:{_PORT}" for each in QDRANT]
    # Not the URL: it may hold a key.
    refused = InputError("this is not the URL of a Qdrant server", place="url", valid=valid)
    if parts.scheme not in QDRANT:
        raise refused
    named = [urlsplit(f"//{each}") for each in parts.netloc.rpartition("@")[2].split(",")]
    try:
        hosts = tuple((each.hostname or "", each.port or _PORT) for each in named)
        key = urlsplit(f"//{parts.netloc.rpartition('@')[0]}@host").password
    except ValueError:  # a port that is none
        raise refused from None
    if not all(host for host, _ in hosts):
        raise refused
    own = dict(parse_qsl(parts.query))
    cache = own.pop("cache", None)
    if own or (cache is not None and (not os.path.isabs(cache) or "\0" in cache)):
        fix = "Write ?cache=/FOLDER after the port, and nothing else."
        raise InputError("the URL says what is not known", place="url", fix=fix)
    return QdrantPlace(hosts, parts.scheme == QDRANT[1], key or None, cache)


class QdrantClients:
    """Connections to the servers of a URL, opened when they are first asked."""

    def __init__(self, url: str, prepare: Callable[[Any], None], place: str) -> None:
        """`prepare` is called with each new client of the library."""
        self._server = server_of(url)
        self._prepare = prepare
        self.cache = self._server.cache
        self.place = f"{self._server.name}/{place}"
        self._lock = child_lock()
        self._connected: dict[int, Any] = {}
        self._number = 0
        """Of the server that is asked."""
        try:
            from qdrant_client import grpc, models
        except ImportError:
            raise MissingExtraError("qdrant_client", "qdrant") from None
        self.grpc: Any = grpc
        """The messages of the library,"""
        self.models: Any = models
        """and its objects."""

    @property
    def seconds(self) -> float:
        """That a call may take: what the deadline of the caller leaves, but not for ever."""
        return at_most(_SECONDS)

    def call(self, function: Callable[[Any], T]) -> T:
        """Call a function with what asks for points.

        Whatever is called may be called again: points are written by id, and in place of a number.
        Where one server of a cluster is away, the next one is asked.
        """
        return self._called(lambda client: function(client.grpc_points))

    def call_collections(self, function: Callable[[Any], T]) -> T:
        """The same with what asks for collections."""
        return self._called(lambda client: function(client.grpc_collections))

    def _called(self, function: Callable[[Any], T]) -> T:
        for wait in (*(0.0 for _ in self._server.hosts[1:]), *_WAITS):
            number = self._number
            try:
                return function(self._client(number))
            except Exception as error:  # its library raises those of HTTP and of gRPC as they are
                if not _is_away(error):
                    raise self._failed(error) from error
                if number == self._number:  # else another call has turned already
                    self._number = (number + 1) % len(self._server.hosts)
                time.sleep(wait)
        try:
            return function(self._client(self._number))
        except Exception as error:
            raise self._failed(error) from error

    def _failed(self, error: Exception) -> StoreError:
        # Not its text, which may hold what was sent.
        problem = f"the Qdrant server failed ({_reason(error)})"
        fix = "Check that it runs and can be reached; it may be starting."
        return StoreError(problem, place=self.place, fix=fix)

    def _client(self, number: int) -> Any:
        """Of the server with this number."""
        with self._lock:
            if number not in self._connected:
                self._connected[number] = self._opened(number)
            return self._connected[number]

    def _opened(self, number: int) -> Any:
        from qdrant_client import QdrantClient

        server = self._server
        host, port = server.hosts[number]
        client = QdrantClient(
            host=host,
            grpc_port=port,
            prefer_grpc=True,
            https=server.has_tls,
            api_key=server.key,
            timeout=_SECONDS,
            grpc_options={**_RECONNECTS},  # the library adds to it
            check_compatibility=False,
        )
        self._prepare(client)
        return client

    def close(self) -> None:
        """Close the connection."""
        with self._lock:
            for each in self._connected.values():
                each.close()
            self._connected.clear()


def payload_of(payload: Any) -> dict[str, Any]:
    """A payload as plain values."""
    return {name: _plain(value) for name, value in payload.items()}


def _plain(value: Any) -> Any:
    kind = value.WhichOneof("kind")
    if kind == "list_value":
        return [_plain(each) for each in value.list_value.values]
    if kind == "struct_value":
        return payload_of(value.struct_value.fields)
    return None if kind in (None, "null_value") else getattr(value, kind)


def _status(error: Exception) -> object:
    """The status that a server answered with, or that its library gave to a broken connection."""
    code = getattr(error, "code", None)
    return code() if callable(code) else getattr(error, "status_code", None)


def _is_away(error: Exception) -> bool:
    """Whether the server cannot be reached at this moment, as while it restarts."""
    return getattr(_status(error), "name", "") == "UNAVAILABLE"


def _reason(error: Exception) -> str:
    status = _status(error)
    return type(error).__name__ if status is None else f"{type(error).__name__}, {status}"
