"""Searches that every store has for free: they are made of the methods of the Protocol."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence

from biblicus_context.base.doors import door
from biblicus_context.stores import checks
from biblicus_context.stores.filters import NO_FILTERS, Filters
from biblicus_context.stores.model import Relation, Vectors
from biblicus_context.stores.principal import Principal
from biblicus_context.stores.results import Bm25, Direction, Hit, Ranked, Related, Search
from biblicus_context.stores.store import BM25, Reads


@door
def search_text(  # noqa: PLR0913 - those of rank_text, and a page
    store: Reads,
    principal: Principal,
    terms: Sequence[str],
    *,
    filters: Filters = NO_FILTERS,
    limit: int = 100,
    offset: int = 0,
    weights: Bm25 = BM25,
    similarity: float | None = None,
    at: int | None = None,
) -> tuple[Hit, ...]:
    """A page of `rank_text` as hits, ordered by score, then by block id."""
    end = checks.whole(offset, "offset") + checks.whole(limit, "limit")
    version = store.state(principal).version if at is None else at
    ranked = store.rank_text(
        principal,
        terms,
        filters=filters,
        limit=end,
        weights=weights,
        similarity=similarity,
        at=version,
    )
    search: Search = "text" if similarity is None else "fuzzy"
    return _hits(store, principal, ranked, search, version)[offset:end]


@door
def search_vectors(
    store: Reads,
    principal: Principal,
    query: Vectors,
    *,
    filters: Filters = NO_FILTERS,
    limit: int = 100,
    offset: int = 0,
    at: int | None = None,
) -> tuple[Hit, ...]:
    """A page of `rank_vectors` as hits, ordered by score, then by block id."""
    end = checks.whole(offset, "offset") + checks.whole(limit, "limit")
    version = store.state(principal).version if at is None else at
    ranked = store.rank_vectors(principal, query, filters=filters, limit=end, at=version)
    return _hits(store, principal, ranked, "vector", version)[offset:end]


@door
def related_documents(
    store: Reads,
    principal: Principal,
    document_ids: str | Sequence[str],
    *,
    types: Collection[str] = (),
    direction: Direction = "out",
    depth: int = 1,
    limit: int = 100,
    at: int | None = None,
) -> tuple[Related, ...]:
    """Documents within `depth` relations of these types (default: all) from one or several, nearest first.

    Each document comes once; of equal depth the heavier relation comes first. A path never leads
    through a document that is hidden from the principal.
    """
    furthest, most = checks.whole(depth, "depth"), checks.whole(limit, "limit")
    # One version for all steps: a write between two of them must not bend the path.
    version = store.state(principal).version if at is None else at
    starts = [document_ids] if isinstance(document_ids, str) else [*document_ids]
    frontier, reached = starts, {*starts}
    found: list[Related] = []
    for distance in range(1, furthest + 1):
        if not frontier or len(found) >= most:
            break
        relations = store.relations(
            principal, frontier, types=types, direction=direction, at=version
        )
        nearest: dict[str, Relation] = {}
        for other, relation in sorted(_steps(relations, frontier, direction), key=_heaviest_first):
            if other not in reached:
                nearest.setdefault(other, relation)
        found += [Related(other, relation, distance) for other, relation in nearest.items()]
        frontier = [*nearest]
        reached.update(frontier)
    return tuple(found[:most])


def _hits(
    store: Reads, principal: Principal, ranked: Ranked, search: Search, at: int
) -> tuple[Hit, ...]:
    places = store.places(principal, ranked.numbers, at=at)
    # By `map`, as without numpy the columns are lists.
    scored = sorted(zip((-score for score in map(float, ranked.scores)), places, strict=True))
    return tuple(Hit(place, -score, search) for score, place in scored)


def _steps(
    relations: Iterable[Relation], frontier: Collection[str], direction: Direction
) -> Iterable[tuple[str, Relation]]:
    """Each relation with the document at its other end; both ends may be in the frontier."""
    near = frozenset(frontier)
    for each in relations:
        if direction != "in" and each.source in near:
            yield each.target, each
        if direction != "out" and each.target in near:
            yield each.source, each


def _heaviest_first(step: tuple[str, Relation]) -> tuple[float, str, str, str]:
    other, relation = step
    return -relation.weight, other, relation.type, relation.source
