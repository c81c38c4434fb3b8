"""A collection that people already have: which points of a principal match a query, and what they say.

Names and values of a plan are fields of messages, and never part of a text that a server parses. Every search, and
every look-up by id, has the tenant in its filter.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Final
from uuid import UUID

from biblicus_context.base.lazy import lazy
from biblicus_context.errors import PlanError
from biblicus_context.spec.retriever_settings import QdrantSpec
from biblicus_context.stores.principal import Principal
from biblicus_context.stores.qdrant.client import QdrantClients, payload_of
from biblicus_context.stores.qdrant.hashed_words import hashed_words
from biblicus_context.stores.tables import Filled, Ranking, Row

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_MOST: Final = 200
"""Points of one ranking."""
_MILLISECONDS: Final = 100_000_000_000
"""A number from here on is one of milliseconds: as seconds, it would be in the year 5138."""


class CollectionTable:
    """What is promised of each method is in the Protocol `Table`."""

    def __init__(self, spec: QdrantSpec, url: str, *, place: str) -> None:
        if spec.dense is None and spec.sparse is None:
            problem = "nothing says what is searched"
            fix = "Name the vectors: `dense` with an `embedder`, `sparse`, or both."
            raise PlanError(problem, place=place, fix=fix)
        self._spec, self._place = spec, place
        self._clients = QdrantClients(url, lambda _: None, spec.collection)
        self._grpc: Any = self._clients.grpc

    @lazy
    def _dimensions(self) -> Mapping[str, int]:
        """Of each kind of dense vectors, by name."""
        request = self._grpc.GetCollectionInfoRequest(collection_name=self._spec.collection)
        info = self._clients.call_collections(
            lambda stub: stub.Get(request, timeout=self._clients.seconds)
        )
        params = info.result.config.params
        self._require_known("sparse", [*params.sparse_vectors_config.map])
        own = params.vectors_config
        if own.HasField("params"):
            return {"": own.params.size}
        return {name: each.size for name, each in own.params_map.map.items()}

    def _require_known(self, setting: str, known: Sequence[str]) -> None:
        wanted = getattr(self._spec, setting)
        if wanted is not None and wanted not in known:
            raise PlanError(
                f"the collection has no {setting} vectors of this name",
                place=f"{self._place}.{setting}",
                found=wanted,
                valid=sorted(known),
            )

    @property
    def dimensions(self) -> int | None:
        """Of the dense vectors."""
        known = self._dimensions
        self._require_known("dense", [*known])
        return None if self._spec.dense is None else known[self._spec.dense]

    def rankings(
        self,
        principal: Principal,
        filters: Filled,
        query: str,
        terms: Sequence[str],
        vector: NDArray[np.float32] | None,
    ) -> Mapping[str, Ranking]:
        """One ranking: of both kinds of vectors, the server makes it."""
        del terms  # what was hashed were words with their endings cut off, and no others
        mine = self._mine(principal, filters)
        if mine is None or self.dimensions == 0:
            return {}
        searches = [*self._searches(query, vector)]
        if not searches:
            return {}
        grpc = self._grpc
        if len(searches) == 1:
            ((name, own),) = searches
            asked = {**own, "filter": mine}
        else:
            name = self._spec.fusion
            prefetched = [
                grpc.PrefetchQuery(**own, filter=mine, limit=_MOST) for _, own in searches
            ]
            fusion = grpc.Fusion.RRF if name == "rrf" else grpc.Fusion.DBSF
            asked = {"prefetch": prefetched, "query": grpc.Query(fusion=fusion), "filter": mine}
        request = grpc.QueryPoints(collection_name=self._spec.collection, limit=_MOST, **asked)
        found = self._clients.call(
            lambda stub: stub.Query(request, timeout=self._clients.seconds)
        ).result
        return {name: {_text_of(each.id): each.score for each in found}}

    def _searches(
        self, query: str, vector: NDArray[np.float32] | None
    ) -> Iterator[tuple[str, dict[str, Any]]]:
        grpc, spec = self._grpc, self._spec
        if vector is not None and spec.dense is not None:
            dense = grpc.DenseVector(data=vector.tolist())
            nearest = grpc.Query(nearest=grpc.VectorInput(dense=dense))
            own = {"query": nearest, "params": grpc.SearchParams(exact=spec.exact)}
            yield "vectors", {**own, **({"using": spec.dense} if spec.dense else {})}
        if spec.sparse is not None and (words := hashed_words(query)):
            sparse = grpc.SparseVector(indices=words, values=[1.0] * len(words))
            nearest = grpc.Query(nearest=grpc.VectorInput(sparse=sparse))
            yield "words", {"query": nearest, "using": spec.sparse}

    def rows(self, principal: Principal, filters: Filled, ids: Sequence[str]) -> Sequence[Row]:
        """The points of these ids, as far as they are still there and the principal's; in any order."""
        grpc = self._grpc
        mine = self._mine(principal, filters)
        if mine is None or not ids:
            return ()
        own = [self._id(each) for each in ids]
        mine.must.append(grpc.Condition(has_id=grpc.HasIdCondition(has_id=own)))
        request = grpc.ScrollPoints(
            collection_name=self._spec.collection,
            filter=mine,
            limit=len(own),
            with_payload=grpc.WithPayloadSelector(enable=True),
        )
        found = self._clients.call(
            lambda stub: stub.Scroll(request, timeout=self._clients.seconds)
        ).result
        rows = (self._row(_text_of(each.id), payload_of(each.payload)) for each in found)
        return [each for each in rows if each.text]

    def _row(self, id_: str, payload: Mapping[str, Any]) -> Row:
        keys = self._spec.payload
        text, title = _at(payload, keys.text), _at(payload, keys.title)
        return Row(
            id_,
            text if isinstance(text, str) else "",
            title if isinstance(title, str) else "",
            _seconds(_at(payload, keys.time)),
            {each: value for each in keys.metadata if (value := _at(payload, each)) is not None},
        )

    def close(self) -> None:
        """Close the connections."""
        self._clients.close()

    # Whose points

    def _mine(self, principal: Principal, filters: Filled) -> Any | None:
        """What every question is asked with; None if the principal owns nothing."""
        grpc, spec = self._grpc, self._spec
        must: list[Any] = []
        if spec.payload.tenant is not None:
            owner = principal.workspace if spec.tenant_is == "workspace" else principal.user
            if not owner:
                return None
            must.append(self._one_of(spec.payload.tenant, [owner, *_as_number(owner)]))
        must += [self._one_of(key, values) for key, values in filters.items()]
        return grpc.Filter(must=must)

    def _one_of(self, key: str, values: Sequence[object]) -> Any:
        """A condition that a key has one of these values."""
        grpc = self._grpc
        conditions = [each for value in values for each in self._equals(key, value)]
        if not conditions:  # one of no values
            nothing = grpc.HasIdCondition(has_id=[])
            conditions = [grpc.Condition(has_id=nothing)]
        return grpc.Condition(filter=grpc.Filter(should=conditions))

    def _equals(self, key: str, value: object) -> Iterator[Any]:
        grpc = self._grpc
        if value is None:
            yield grpc.Condition(is_empty=grpc.IsEmptyCondition(key=key))
            return
        if isinstance(value, bool):
            match = grpc.Match(boolean=value)
        elif isinstance(value, str):
            match = grpc.Match(keyword=value)
        else:
            number = float(str(value))
            span = grpc.Range(gte=number, lte=number)
            yield grpc.Condition(field=grpc.FieldCondition(key=key, range=span))
            return
        yield grpc.Condition(field=grpc.FieldCondition(key=key, match=match))

    def _id(self, text: str) -> Any:
        grpc = self._grpc
        return grpc.PointId(num=int(text)) if text.isdigit() else grpc.PointId(uuid=text)


def _as_number(owner: str) -> list[int]:
    """A tenant may be a number in the payload."""
    is_number = owner.isascii() and owner.isdigit() and str(int(owner)) == owner
    return [int(owner)] if is_number and int(owner) < 1 << 53 else []


def _text_of(point: Any) -> str:
    return (
        str(point.num) if point.WhichOneof("point_id_options") == "num" else str(UUID(point.uuid))
    )


def _at(payload: Mapping[str, Any], key: str | None) -> Any:
    """The value of a key, which may be inside of others."""
    if key is None:
        return None
    value: Any = payload
    for each in key.split("."):
        value = value.get(each) if isinstance(value, Mapping) else None
    return value


def _seconds(value: object) -> float | None:
    """Since 1970, of a time as people write it."""
    if isinstance(value, bool):
        return None
    if isinstance(value, int | float):
        return value / 1000 if abs(value) >= _MILLISECONDS else float(value)
    if not isinstance(value, str):
        return None
    try:
        moment = datetime.fromisoformat(value)
    except ValueError:
        return None
    return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp()
