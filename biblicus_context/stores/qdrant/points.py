"""Points without vectors in one collection of a Qdrant server: the one place that loads its library.

Its messages are used as they are: the objects of the library above them take three times as long to make.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any, Final, NamedTuple, TypeVar
from urllib.parse import urlsplit
from uuid import UUID, uuid5

from biblicus_context.base.effects import Outcome
from biblicus_context.base.forks import child_lock
from biblicus_context.base.joining import asked
from biblicus_context.errors import InputError, MissingExtraError
from biblicus_context.stores.addresses import QDRANT
from biblicus_context.stores.errors import StoreError

T = TypeVar("T")

Payload = Mapping[str, str | int | Sequence[str]]

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
_MOST_BYTES: Final = 2 * 1024 * 1024
"""That are sent with one call."""
_AT_ONCE: Final = 1000
"""Points that are read with one call."""
_INDEXED: Final = ("space", "kind", "write", "keys", "namespace")
_TENANT: Final = "space"


class QdrantPlace(NamedTuple):
    """Where the servers of a cluster are, or one alone; its name in errors has no key."""

    hosts: tuple[tuple[str, int], ...]
    has_tls: bool
    key: str | None

    @property
    def name(self) -> str:
        listed = ",".join(f"{host}:{port}" for host, port in self.hosts)
        return f"{QDRANT[self.has_tls]}://{listed}"


class Copies(NamedTuple):
    """How a cluster keeps the collection; it is decided when the collection is made."""

    copies: int = 1
    """Servers that have each point."""
    shards: int | None = None
    """Parts that are spread over the servers; None: one for each server."""


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
    return QdrantPlace(hosts, parts.scheme == QDRANT[1], key or None)


def point_id(*names: object) -> str:
    """The id of a point by what it is."""
    return str(uuid5(_OURS, "\0".join(map(str, names))))


class Point(NamedTuple):
    """A point to write."""

    id: str
    payload: Payload


class _Asked(NamedTuple):
    """Points that are asked for by id."""

    ids: tuple[str, ...]
    fields: tuple[str, ...]
    space: str
    readers: tuple[str, ...] | None
    """Those that name one of these readers; None: all."""


class Points:
    """Points of one collection, read and written by id."""

    def __init__(self, url: str, collection: str, copies: Copies | None = None) -> None:
        self._server = server_of(url)
        self._collection = collection
        self._copies = copies or Copies()
        self._lock = child_lock()
        self._connected: dict[int, Any] = {}
        self._number = 0
        """Of the server that is asked."""
        try:
            from qdrant_client import grpc
        except ImportError:
            raise MissingExtraError("qdrant_client", "qdrant") from None
        self._grpc: Any = grpc

    @property
    def place(self) -> str:
        """What errors call it."""
        return f"{self._server.name}/{self._collection}"

    # Reading

    def read(
        self,
        space: str,
        ids: Collection[str],
        fields: Sequence[str] = ("data",),
        readers: Sequence[str] | None = None,
    ) -> dict[str, Mapping[str, Any]]:
        """These fields of the points of a space that are there; what several searches ask for travels together."""
        if not ids:
            return {}
        wanted = _Asked((*ids,), (*fields,), space, None if readers is None else (*readers,))
        found: dict[str, Mapping[str, Any]] = asked(self, wanted)
        return found

    def answer(self, questions: Sequence[_Asked]) -> Sequence[Outcome]:
        """One call for all that is asked alike."""
        wanted: dict[tuple[Any, ...], dict[str, None]] = {}
        for each in questions:
            wanted.setdefault(each[1:], {}).update(dict.fromkeys(each.ids))
        found: dict[tuple[Any, ...], dict[str, Mapping[str, Any]]] = {}
        try:
            for key, ids in wanted.items():
                listed = [*ids]
                found[key] = {}
                for at in range(0, len(listed), _AT_ONCE):
                    some = _Asked((*listed[at : at + _AT_ONCE],), *key)
                    found[key] |= self._call(lambda stub, some=some: self._got(stub, some))  # type: ignore[misc]
        except StoreError as error:
            return [Outcome(error=error) for _ in questions]
        return [
            Outcome({id_: own[id_] for id_ in each.ids if id_ in (own := found[each[1:]])})
            for each in questions
        ]

    def _got(self, stub: Any, wanted: _Asked) -> dict[str, Mapping[str, Any]]:
        grpc = self._grpc
        fields = grpc.WithPayloadSelector(
            include=grpc.PayloadIncludeSelector(fields=[*wanted.fields])
        )
        ids = [grpc.PointId(uuid=each) for each in wanted.ids]
        # A filter, so that no point of another tenant is found, whatever id is asked for.
        must = [
            grpc.Condition(has_id=grpc.HasIdCondition(has_id=ids)),
            self._is("space", wanted.space),
        ]
        if wanted.readers is not None:
            must.append(self._is("readers", *wanted.readers))
        rows = stub.Scroll(
            grpc.ScrollPoints(
                collection_name=self._collection,
                filter=grpc.Filter(must=must),
                limit=len(ids),
                with_payload=fields,
            ),
            timeout=_SECONDS,
        ).result
        return {each.id.uuid: _payload(each.payload) for each in rows}

    def all_of(
        self, fields: Sequence[str], **matching: str | Collection[str]
    ) -> Iterator[Mapping[str, Any]]:
        """All points of which each named field has one of these values, page by page."""
        grpc, after = self._grpc, None
        own = grpc.Filter(must=self._matching(matching))
        include = grpc.WithPayloadSelector(include=grpc.PayloadIncludeSelector(fields=[*fields]))
        while True:
            page = grpc.ScrollPoints(
                collection_name=self._collection, filter=own, limit=_AT_ONCE, with_payload=include
            )
            if after is not None:
                page.offset.CopyFrom(after)
            answer = self._call(lambda stub, page=page: stub.Scroll(page, timeout=_SECONDS))  # type: ignore[misc]
            for each in answer.result:
                yield _payload(each.payload)
            if not answer.HasField("next_page_offset"):
                return
            after = answer.next_page_offset

    # Writing

    def put(self, points: Iterable[Point]) -> None:
        """Write points, in place of those with the same ids."""
        for some in self._batches(points):
            self._upsert(some, None)

    def put_after(self, point: Point, number: int | None) -> None:
        """Write a point in place of the one with this number, or where none is; else do nothing."""
        grpc = self._grpc
        if number is None:
            only = self._is("kind", "no point is of this kind")
        else:
            match = grpc.Match(integer=number)
            only = grpc.Condition(field=grpc.FieldCondition(key="seq", match=match))
        self._upsert([self._packed(point)], grpc.Filter(must=[only]))

    def remove(self, ids: Sequence[str]) -> None:
        """Remove points by id."""
        grpc = self._grpc
        for at in range(0, len(ids), _AT_ONCE):
            own = [grpc.PointId(uuid=each) for each in ids[at : at + _AT_ONCE]]
            self._delete(grpc.PointsSelector(points=grpc.PointsIdsList(ids=own)))

    def remove_all(self, **matching: str | Collection[str]) -> None:
        """Remove all points of which each named field has one of these values."""
        grpc = self._grpc
        own = grpc.Filter(must=self._matching(matching))
        self._delete(grpc.PointsSelector(filter=own))

    def close(self) -> None:
        """Close the connection."""
        with self._lock:
            for each in self._connected.values():
                each.close()
            self._connected.clear()

    def _packed(self, point: Point) -> Any:
        grpc = self._grpc
        return grpc.PointStruct(
            id=grpc.PointId(uuid=point.id),
            payload={name: self._value(each) for name, each in point.payload.items()},
            vectors=grpc.Vectors(vectors=grpc.NamedVectors()),
        )

    def _value(self, value: str | int | Sequence[str]) -> Any:
        grpc = self._grpc
        if isinstance(value, str):
            return grpc.Value(string_value=value)
        if isinstance(value, int):
            return grpc.Value(integer_value=value)
        listed = [grpc.Value(string_value=each) for each in value]
        return grpc.Value(list_value=grpc.ListValue(values=listed))

    def _is(self, name: str, *values: str) -> Any:
        grpc = self._grpc
        match = (
            grpc.Match(keyword=values[0])
            if len(values) == 1
            else grpc.Match(keywords=grpc.RepeatedStrings(strings=values))
        )
        return grpc.Condition(field=grpc.FieldCondition(key=name, match=match))

    def _matching(self, matching: Mapping[str, str | Collection[str]]) -> list[Any]:
        return [
            self._is(name, *([value] if isinstance(value, str) else value))
            for name, value in matching.items()
        ]

    def _batches(self, points: Iterable[Point]) -> Iterator[list[Any]]:
        some: list[Any] = []
        size = 0
        for each in map(self._packed, points):
            own = each.ByteSize()
            if some and size + own > _MOST_BYTES:
                yield some
                some, size = [], 0
            some.append(each)
            size += own
        if some:
            yield some

    def _ordering(self) -> Any:
        return self._grpc.WriteOrdering(type=self._grpc.WriteOrderingType.Strong)

    def _upsert(self, points: Sequence[Any], only: Any) -> None:
        request = self._grpc.UpsertPoints(
            collection_name=self._collection,
            wait=True,
            points=points,
            ordering=self._ordering(),
            update_filter=only,
        )
        self._call(lambda stub: stub.Upsert(request, timeout=_SECONDS))

    def _delete(self, selector: Any) -> None:
        request = self._grpc.DeletePoints(
            collection_name=self._collection,
            wait=True,
            points=selector,
            ordering=self._ordering(),
        )
        self._call(lambda stub: stub.Delete(request, timeout=_SECONDS))

    def _call(self, function: Callable[[Any], T]) -> T:
        """Whatever is called may be called again: points are written by id, and in place of a number.

        Where one server of a cluster is away, the next one is asked.
        """
        for wait in (*(0.0 for _ in self._server.hosts[1:]), *_WAITS):
            number = self._number
            try:
                return function(self._client(number).grpc_points)
            except Exception as error:  # its library raises those of HTTP and of gRPC as they are
                if not _is_away(error):
                    raise self._failed(error) from error
                if number == self._number:  # else another call has turned already
                    self._number = (number + 1) % len(self._server.hosts)
                time.sleep(wait)
        try:
            return function(self._client(self._number).grpc_points)
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
        if not client.collection_exists(self._collection):
            self._make(client)
        return client

    def _make(self, client: Any) -> None:
        from qdrant_client import models

        copies = self._copies
        try:
            client.create_collection(
                self._collection,
                vectors_config={},
                on_disk_payload=True,
                replication_factor=copies.copies,
                # With more, a write that a dead server misses is refused after others have done it,
                # and is on none of them for sure; with one, the server that missed it is put aside
                # until it has all that it missed.
                write_consistency_factor=1,
                shard_number=copies.shards,
            )
        except Exception:
            if not client.collection_exists(self._collection):  # else another process made it
                raise
        for name in _INDEXED:
            schema = models.KeywordIndexParams(
                type=models.KeywordIndexType.KEYWORD, is_tenant=name == _TENANT or None
            )
            client.create_payload_index(self._collection, name, schema, wait=True)


def _payload(payload: Any) -> dict[str, Any]:
    return {name: _plain(value) for name, value in payload.items()}


def _plain(value: Any) -> Any:
    kind = value.WhichOneof("kind")
    if kind == "list_value":
        return [_plain(each) for each in value.list_value.values]
    return getattr(value, kind)


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
