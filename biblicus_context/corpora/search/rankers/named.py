"""Documents by id, path, or pattern of paths."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from biblicus_context.corpora.search.query import SearchQuery
from biblicus_context.errors import InputError, closest
from biblicus_context.stores import NO_FILTERS, Filters

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


def _by_path(query: SearchQuery, name: str) -> list[str]:
    found = query.view.list_documents(filters=Filters(paths=(name,)), limit=_MOST)
    if not found:
        seen = query.view.list_documents(limit=_MOST)
        near = closest(name, [each.path or each.id for each in seen])[:_NEAR]
        raise InputError("the corpus has no such document", found=name, valid=near)
    return [each.id for each in found]
