"""Documents and blocks that the settings name: by id, path, or pattern of paths."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import Final, TypeVar, cast

from biblicus_context.corpora.evidence import RankedBlock
from biblicus_context.corpora.search.query import SearchQuery
from biblicus_context.errors import InputError, closest
from biblicus_context.spec.retriever_settings import ExplicitSpec, OutlineSpec
from biblicus_context.stores import NO_FILTERS, BlockPlace, Filters

T = TypeVar("T")

_MOST: Final = 1000
"""Documents that one pattern matches at most, and those searched for a similar name."""
_NEAR: Final = 5


def documents_named(query: SearchQuery, names: Sequence[str]) -> list[str]:
    """The ids of the named documents, in the order of the names."""
    if not names:
        return []
    known = {each.id for each in query.view.documents(names)}
    found = (
        each for name in names for each in ([name] if name in known else _by_path(query, name))
    )
    return list(dict.fromkeys(found))


def of_named(query: SearchQuery, names: Sequence[str], make: Callable[[Sequence[str]], T]) -> T:
    """What is made of the named documents.

    Where each read is a trip, names are taken for ids while they are looked up, as most are ids.
    """
    if not names or not query.view.travels:
        return make(documents_named(query, names))
    usual = [*dict.fromkeys(names)]
    found, made = query.view.together(lambda: documents_named(query, names), lambda: make(usual))
    return cast("T", made) if found == usual else make(found)


def filled_depth(depth: int | str) -> int:
    """A number of levels; where settings are used, no placeholder is left in them."""
    assert isinstance(depth, int)
    return depth


def meeting_filters(query: SearchQuery, documents: Sequence[str]) -> list[str]:
    """The documents that match the filters of the query, in order."""
    filters = query.filters
    if filters == NO_FILTERS or not documents:
        return list(documents)
    among = frozenset(documents) & (filters.documents or frozenset(documents))
    if not among:
        return []
    met = query.view.list_documents(filters=replace(filters, documents=among), limit=len(among))
    ids = {each.id for each in met}
    return [each for each in documents if each in ids]


def places_meeting_filters(
    query: SearchQuery, documents: Sequence[str], most: int | None = None
) -> list[BlockPlace]:
    """Where the blocks of these documents are (up to `most` of each), as far as they match the filters."""
    view = query.view
    if not view.travels:
        found = meeting_filters(query, documents)
        return [*view.places_of(found, most=most)] if found else []
    found, places = view.together(
        lambda: frozenset(meeting_filters(query, documents)),
        lambda: view.places_of(documents, most=most, shown=query.shown) if documents else (),
    )
    return [each for each in places if each.document_id in found]


def _by_path(query: SearchQuery, name: str) -> list[str]:
    found = query.view.list_documents(filters=Filters(paths=(name,)), limit=_MOST)
    if not found:
        seen = query.view.list_documents(limit=_MOST)
        near = closest(name, [each.path or each.id for each in seen])[:_NEAR]
        raise InputError("the corpus has no such document", found=name, valid=near)
    return [each.id for each in found]


_PARTS: Final = {"named": 1.0}


def explicit(query: SearchQuery, spec: ExplicitSpec, most: int) -> list[RankedBlock]:
    """The blocks of the named documents, then the named blocks; each block once."""
    del most
    places, named = query.view.together(
        lambda: of_named(query, spec.documents, partial(places_meeting_filters, query)),
        lambda: _named(query, spec.blocks),
    )
    found = {each.block_id: each.document_id for each in places} | named
    return [RankedBlock(block, of, 1.0, lambda _: _PARTS) for block, of in found.items()]


def _named(query: SearchQuery, names: Sequence[str]) -> dict[str, str]:
    """Named blocks, each with its document."""
    if not names:
        return {}
    of = {each.block.id: each.document.id for each in query.view.evidence(names)}
    for name in names:
        if name not in of:
            raise InputError("the corpus has no such block", found=name)
    documents = meeting_filters(query, [*dict.fromkeys(of.values())])
    return {block: document for block, document in of.items() if document in documents}


def outline(query: SearchQuery, spec: OutlineSpec, most: int) -> list[RankedBlock]:
    """One block for each document, in the order of the names."""
    del most
    first = partial(places_meeting_filters, query, most=1)
    places = of_named(query, spec.documents, first)
    return [
        RankedBlock(each.block_id, each.document_id, 1.0, lambda _: {"named": 1.0})
        for each in places
    ]
