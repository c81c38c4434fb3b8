"""Whether documents and blocks meet filters, in plain Python."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import datetime
from typing import Any

from biblicus_context.base.globs import Globs
from biblicus_context.stores.filter_conditions import Between, Condition, OneOf, TimeRange
from biblicus_context.stores.filters import Filters
from biblicus_context.stores.model import Document, Metadata


def meets(document: Document, filters: Filters) -> bool:
    """Whether all conditions hold."""
    return all(_each(document, filters)) and all(
        _metadata(document.metadata.get(each.key), each) for each in filters.metadata
    )


def block_meets(metadata: Metadata, filters: Filters) -> bool:
    """Whether the conditions on the metadata of a block hold."""
    return all(_metadata(metadata.get(each.key), each) for each in filters.block_metadata)


def listed(document: Document, blocks: Iterable[Metadata], filters: Filters) -> bool:
    """Whether a document meets the filters, and the metadata of one of its blocks those on blocks."""
    return meets(document, filters) and (
        not filters.block_metadata or any(block_meets(each, filters) for each in blocks)
    )


def _each(document: Document, filters: Filters) -> Iterator[bool]:
    tags = frozenset(document.tags)
    yield not filters.kinds or document.kind in filters.kinds
    yield not filters.tags_any or bool(filters.tags_any & tags)
    yield filters.tags_all <= tags
    yield not filters.paths or (
        document.path is not None and Globs(filters.paths).match(document.path)
    )
    yield not filters.conversations or document.conversation in filters.conversations
    yield not filters.documents or document.id in filters.documents
    yield document.id not in filters.excluded
    yield not filters.parents or document.parent in filters.parents
    yield not filters.superseded_by or document.superseded_by in filters.superseded_by
    yield not filters.current or document.superseded_by is None
    yield filters.valid_at is None or _is_valid(document, filters.valid_at)
    yield _within(document.created, filters.created)
    yield _within(document.updated, filters.updated)
    yield _within(document.accessed, filters.accessed)
    yield _at_least(document.confidence, filters.min_confidence)
    yield _at_least(document.importance, filters.min_importance)


def _is_valid(document: Document, at: datetime) -> bool:
    since, until = document.valid_from, document.valid_to
    return (since is None or since <= at) and (until is None or until > at)


def _within(moment: datetime | None, times: TimeRange | None) -> bool:
    if times is None or (times.since is None and times.before is None):
        return True
    if moment is None:
        return False
    since, before = times.since, times.before
    return (since is None or since <= moment) and (before is None or moment < before)


def _at_least(number: float | None, least: float | None) -> bool:
    return least is None or (number is not None and number >= least)


def _metadata(value: Any, condition: Condition) -> bool:
    if isinstance(value, dict):
        return False
    values = value if isinstance(value, list) else [value]
    if isinstance(condition, Between):
        return any(_between(each, condition) for each in values)
    wanted = condition.values if isinstance(condition, OneOf) else (condition.value,)
    if value is None:
        return None in wanted
    return any(
        each == one and isinstance(each, bool) == isinstance(one, bool)
        for each in values
        for one in wanted
        if one is not None
    )


def _between(value: Any, condition: Between) -> bool:
    low: Any = condition.low
    high: Any = condition.high
    kinds = str if isinstance(low, str) or isinstance(high, str) else (int, float)
    if not isinstance(value, kinds) or isinstance(value, bool):
        return False
    return (low is None or low <= value) and (high is None or value <= high)
