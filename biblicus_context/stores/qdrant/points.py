"""Points without vectors in one collection of a Qdrant server."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import partial
from hashlib import blake2b
from typing import Any, Final, NamedTuple, TypeVar

from biblicus_context.base.effects import Outcome
from biblicus_context.base.joining import asked
from biblicus_context.stores.errors import StoreError
from biblicus_context.stores.qdrant.client import QdrantClients, payload_of

T = TypeVar("T")

Payload = Mapping[str, str | int | Sequence[str]]

_MOST_BYTES: Final = 2 * 1024 * 1024
"""That are sent with one call."""
_AT_ONCE: Final = 1000
"""Points that are read with one call."""
_INDEXED: Final = ("space", "kind", "write", "keys", "namespace")
_TENANT: Final = "space"


class Copies(NamedTuple):
    """How a cluster keeps the collection; it is decided when the collection is made."""

    copies: int = 1
    """Servers that have each point."""
    shards: int | None = None
    """Parts that are spread over the servers; None: one for each server."""


def point_id(*names: object) -> str:
    """The id of a point by what it is.

    >>> point_id("a write", "text", 7) == point_id("a write", "text", "7")
    True
    """
    own = blake2b("\0".join(map(str, names)).encode(), digest_size=16).hexdigest()
    return f"{own[:8]}-{own[8:12]}-{own[12:16]}-{own[16:20]}-{own[20:]}"


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
        self._collection = collection
        self._copies = copies or Copies()
        self._clients = QdrantClients(url, self._made, collection)
        self._grpc: Any = self._clients.grpc

    @property
    def place(self) -> str:
        """What errors call it."""
        return self._clients.place

    @property
    def cache(self) -> str | None:
        """A folder of this machine for embeddings."""
        return self._clients.cache

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
                    found[key] |= self._call(partial(self._got, wanted=some))
        except StoreError as error:
            return [Outcome(error=error) for _ in questions]
        return [
            Outcome({id_: own[id_] for id_ in each.ids if id_ in (own := found[each[1:]])})
            for each in questions
        ]

    def _got(self, stub: Any, *, wanted: _Asked) -> dict[str, Mapping[str, Any]]:
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
            timeout=self._clients.seconds,
        ).result
        return {each.id.uuid: payload_of(each.payload) for each in rows}

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
            answer = self._call(partial(self._page, page=page))
            for each in answer.result:
                yield payload_of(each.payload)
            if not answer.HasField("next_page_offset"):
                return
            after = answer.next_page_offset

    def _page(self, stub: Any, *, page: Any) -> Any:
        return stub.Scroll(page, timeout=self._clients.seconds)

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
        self._call(lambda stub: stub.Upsert(request, timeout=self._clients.seconds))

    def _delete(self, selector: Any) -> None:
        request = self._grpc.DeletePoints(
            collection_name=self._collection,
            wait=True,
            points=selector,
            ordering=self._ordering(),
        )
        self._call(lambda stub: stub.Delete(request, timeout=self._clients.seconds))

    def _made(self, client: Any) -> None:
        """Make the collection, unless it is there."""
        if client.collection_exists(self._collection):
            return
        models, copies = self._clients.models, self._copies
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

    def close(self) -> None:
        """Close the connections."""
        self._clients.close()

    def _call(self, function: Callable[[Any], T]) -> T:
        return self._clients.call(function)
