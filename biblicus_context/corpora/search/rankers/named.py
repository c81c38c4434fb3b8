"""Documents by the names that people use for them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from biblicus_context.corpora.search.query import Question
from biblicus_context.errors import InputError, closest
from biblicus_context.stores import NO_FILTERS, Filters

_MOST: Final = 1000
"""Documents that one pattern may stand for, and those looked through for a similar name."""
_NEAR: Final = 5


def documents_named(question: Question, names: Sequence[str]) -> list[str]:
    """The ids of documents, in the order of their names: ids, paths, or patterns of paths."""
    known = {
        each.id for each in question.store.documents(question.principal, names, at=question.at)
    }
    found = (
        each for name in names for each in ([name] if name in known else _by_path(question, name))
    )
    return list(dict.fromkeys(found))


def meeting_filters(question: Question, documents: Sequence[str]) -> list[str]:
    """Those documents that meet the question's filters, in their order."""
    filters = question.filters
    if filters == NO_FILTERS or not documents:
        return list(documents)
    among = frozenset(documents) & (filters.documents or frozenset(documents))
    if not among:
        return []
    met = question.store.list_documents(
        question.principal,
        filters=replace(filters, documents=among),
        limit=len(among),
        at=question.at,
    )
    ids = {each.id for each in met}
    return [each for each in documents if each in ids]


def _by_path(question: Question, name: str) -> list[str]:
    found = question.store.list_documents(
        question.principal, filters=Filters(paths=(name,)), limit=_MOST, at=question.at
    )
    if not found:
        seen = question.store.list_documents(question.principal, limit=_MOST, at=question.at)
        near = closest(name, [each.path or each.id for each in seen])[:_NEAR]
        raise InputError("the corpus has no such document", found=name, valid=near)
    return [each.id for each in found]
