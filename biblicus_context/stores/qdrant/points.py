"""Points of one collection of a Qdrant server: the one place that loads its library."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any, Final, NamedTuple, TypeVar
from urllib.parse import urlsplit
from uuid import UUID, uuid5

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
_OURS: Final = UUID("6b0d2a5e-3f57-4c1c-9a53-0f6e4d1f7a11")
_AT_ONCE: Final = 8
"""Points of a megabyte each that travel together."""
_FIELDS: Final = {"space": "keyword", "kind": "keyword", "number": "integer"}


class QdrantPlace(NamedTuple):
    """Where a server is; its name in errors has no key."""

    host: str
    port: int
    has_tls: bool
    key: str | None

    @property
    def name(self) -> str:
        return f"{QDRANT[self.has_tls]}://{self.host}:{self.port}"


def server_of(url: str) -> QdrantPlace:
    """The server of `qdrant://HOST:PORT`, with a key as the password of the URL."""
    parts = urlsplit(url)
    if parts.scheme not in QDRANT or not parts.hostname:
        # Not the URL: it may hold a key.
        valid = [f"{each}://HOST:{_PORT}" for each in QDRANT]
        raise InputError("this is not the URL of a Qdrant server", place="url", valid=valid)
    return QdrantPlace(
        parts.hostname, parts.port or _PORT, parts.scheme == QDRANT[1], parts.password or None
    )


def point_id(*names: object) -> str:
    """The id of a point by what it is."""
    return str(uuid5(_OURS, "\0".join(map(str, names))))


class Points:
    """Points without vectors, read and written by id."""

    def __init__(self, url: str, collection: str) -> None:
        self._server = server_of(url)
        self._collection = collection
        self._lock = child_lock()
        self._connected: Any = None
        try:
            from qdrant_client import models
        except ImportError:
            raise MissingExtraError("qdrant_client", "qdrant") from None
        self._models = models

    @property
    def place(self) -> str:
        """What errors call it."""
        return f"{self._server.name}/{self._collection}"

    def read(self, ids: Sequence[str]) -> dict[str, Mapping[str, Any]]:
        """The payloads of the points that are there."""
        found: dict[str, Mapping[str, Any]] = {}
        for at in range(0, len(ids), 2 * _AT_ONCE):
            some = [*ids[at : at + 2 * _AT_ONCE]]
            found |= self._call(partial(self._retrieved, ids=some))
        return found

    def _retrieved(self, client: Any, *, ids: Sequence[str]) -> dict[str, Mapping[str, Any]]:
        rows = client.retrieve(self._collection, ids, with_payload=True)
        return {str(each.id): each.payload or {} for each in rows}

    def put(self, points: Iterable[tuple[str, Mapping[str, Any]]]) -> None:
        """Write points, in place of those with the same ids."""
        for some in _batches(points):
            self._upsert(some, None)

    def put_new(self, id_: str, payload: Mapping[str, Any]) -> None:
        """Write a point unless there is one with its id."""
        never = self._matches("kind", "no point is of this kind")
        self._upsert([(id_, payload)], self._models.Filter(must=[never]))

    def put_above(self, id_: str, payload: Mapping[str, Any]) -> None:
        """Write a point unless there is one with its id and at least its number."""
        lower = self._models.FieldCondition(
            key="number", range=self._models.Range(lt=payload["number"])
        )
        self._upsert([(id_, payload)], self._models.Filter(must=[lower]))

    def remove(self, ids: Sequence[str]) -> None:
        """Remove points by id."""
        if ids:
            self._delete(self._models.PointIdsList(points=[*ids]))

    def remove_up_to(self, space: str, kind: str, number: int) -> None:
        """Remove the points of one kind of a space up to a number."""
        matching = [self._matches("space", space), self._matches("kind", kind)]
        up_to = self._models.FieldCondition(key="number", range=self._models.Range(lte=number))
        self._delete(
            self._models.FilterSelector(filter=self._models.Filter(must=[*matching, up_to]))
        )

    def all_of(self, kind: str) -> Iterator[Mapping[str, Any]]:
        """The payloads of all points of a kind."""
        wanted, after = self._models.Filter(must=[self._matches("kind", kind)]), None
        while True:
            rows, after = self._call(partial(self._scrolled, wanted=wanted, after=after))
            yield from (each.payload or {} for each in rows)
            if after is None:
                return

    def _scrolled(self, client: Any, *, wanted: Any, after: Any) -> Any:
        return client.scroll(self._collection, scroll_filter=wanted, limit=100, offset=after)

    def close(self) -> None:
        """Close the connection."""
        with self._lock:
            if self._connected is not None:
                self._connected.close()
            self._connected = None

    def _upsert(self, points: Sequence[tuple[str, Mapping[str, Any]]], only: Any) -> None:
        rows = [
            self._models.PointStruct(id=id_, vector={}, payload={**payload})
            for id_, payload in points
        ]
        self._call(
            lambda client: client.upsert(
                self._collection,
                rows,
                wait=True,
                ordering=self._models.WriteOrdering.STRONG,
                update_filter=only,
            )
        )

    def _delete(self, selector: Any) -> None:
        self._call(
            lambda client: client.delete(
                self._collection, selector, wait=True, ordering=self._models.WriteOrdering.STRONG
            )
        )

    def _matches(self, name: str, value: str) -> Any:
        return self._models.FieldCondition(key=name, match=self._models.MatchValue(value=value))

    def _call(self, function: Callable[[Any], T]) -> T:
        """Whatever is called may be called again: points are written by id, and made where none is."""
        for wait in _WAITS:
            try:
                return function(self._client())
            except Exception as error:  # its library raises those of HTTP and of gRPC as they are
                if not _is_away(error):
                    raise self._failed(error) from error
                time.sleep(wait)
        try:
            return function(self._client())
        except Exception as error:
            raise self._failed(error) from error

    def _failed(self, error: Exception) -> StoreError:
        # Not its text, which may hold what was sent.
        problem = f"the Qdrant server failed ({_reason(error)})"
        fix = "Check that it runs and can be reached; it may be starting."
        return StoreError(problem, place=self.place, fix=fix)

    def _client(self) -> Any:
        with self._lock:
            if self._connected is None:
                self._connected = self._opened()
            return self._connected

    def _opened(self) -> Any:
        from qdrant_client import QdrantClient

        server = self._server
        client = QdrantClient(
            host=server.host,
            grpc_port=server.port,
            prefer_grpc=True,
            https=server.has_tls,
            api_key=server.key,
            timeout=_SECONDS,
            grpc_options={**_RECONNECTS},  # the library adds to it
            check_compatibility=False,
        )
        if not client.collection_exists(self._collection):
            try:
                client.create_collection(self._collection, vectors_config={}, on_disk_payload=True)
            except Exception:
                if not client.collection_exists(self._collection):  # else another process made it
                    raise
            for name, kind in _FIELDS.items():
                schema: Any = kind
                if name == "space":
                    schema = self._models.KeywordIndexParams(
                        type=self._models.KeywordIndexType.KEYWORD, is_tenant=True
                    )
                client.create_payload_index(self._collection, name, schema, wait=True)
        return client


def _batches(
    points: Iterable[tuple[str, Mapping[str, Any]]],
) -> Iterator[list[tuple[str, Mapping[str, Any]]]]:
    some: list[tuple[str, Mapping[str, Any]]] = []
    for each in points:
        some.append(each)
        if len(some) == _AT_ONCE:
            yield some
            some = []
    if some:
        yield some


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
