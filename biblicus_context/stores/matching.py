"""Whether documents and blocks meet filters, in plain Python."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from datetime import datetime
from typing import Any, Final

from biblicus_context.base.globs import Globs
from biblicus_context.stores.filter_conditions import (
    Between,
    Comparison,
    Condition,
    How,
    OneOf,
    TimeRange,
)
from biblicus_context.stores.filters import Filters
from biblicus_context.stores.model import Document, Metadata


def meets(document: Document, filters: Filters) -> bool:
    """Whether all conditions hold."""
    return all(_meets(document, each) for each in filters.comparisons()) and all(
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


def _meets(document: Document, asked: Comparison) -> bool:
    """Whether a document has what one filter asks for; one without a time or a number has not."""
    if asked.how == "valid_at":
        return _is_valid(document, asked.value)
    return _MEETS[asked.how](getattr(document, asked.field), asked.value)


def _is_valid(document: Document, at: datetime) -> bool:
    since, until = document.valid_from, document.valid_to
    return (since is None or since <= at) and (until is None or until > at)


def _within(moment: datetime | None, times: TimeRange) -> bool:
    since, before = times.since, times.before
    if moment is None:
        return since is None and before is None
    return (since is None or since <= moment) and (before is None or moment < before)


_MEETS: Final[Mapping[How, Callable[[Any, Any], bool]]] = {
    "one_of": lambda own, names: own in names,
    "none_of": lambda own, names: own not in names,
    "tags_any": lambda own, tags: not tags.isdisjoint(own),
    "tags_all": lambda own, tags: tags.issubset(own),
    "globs": lambda own, globs: own is not None and Globs(globs).match(own),
    "absent": lambda own, _: own is None,
    "times": _within,
    "at_least": lambda own, least: own is not None and own >= least,
}


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
