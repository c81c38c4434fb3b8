"""The filters of a search: conditions on the document of a block that must all hold."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from biblicus_context.stores.filter_conditions import Condition, TimeRange
from biblicus_context.stores.filter_settings import parsed


@dataclass(frozen=True, slots=True)
class Filters:
    """Conditions that must all hold; without any, every document matches.

    A document without a time, a confidence or an importance matches no condition on it.
    """

    kinds: frozenset[str] = frozenset()
    """One of these kinds."""
    tags_any: frozenset[str] = frozenset()
    tags_all: frozenset[str] = frozenset()
    paths: tuple[str, ...] = ()
    """One of these globs: `*` and `?` stay inside a folder, `**` does not."""
    created: TimeRange | None = None
    updated: TimeRange | None = None
    accessed: TimeRange | None = None
    min_confidence: float | None = None
    min_importance: float | None = None
    conversations: frozenset[str] = frozenset()
    """One of these conversations."""
    documents: frozenset[str] = frozenset()
    """One of these documents, by id."""
    metadata: tuple[Condition, ...] = ()

    @classmethod
    def parse(cls, settings: Mapping[str, object], *, place: str = "filters") -> Filters:
        """Filters from the settings of an author; a mistake raises InputError.

        >>> Filters.parse({"kind": "note", "metadata": {"year": {"from": 2024}}}).metadata
        (Between(key='year', low=2024, high=None),)
        """
        return cls(**parsed(settings, place))


NO_FILTERS = Filters()
