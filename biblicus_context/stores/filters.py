"""The filters of a search: conditions on a block and its document that must all hold."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from typing import TYPE_CHECKING

from biblicus_context.base.doors import door
from biblicus_context.stores.filter_conditions import Condition, TimeRange

if TYPE_CHECKING:
    from biblicus_context.spec.filters import FilterSpec


@door
@dataclass(frozen=True, slots=True)
class Filters:
    """Conditions that must all hold; without any, every document matches.

    A document without a time, a confidence or an importance matches no condition on it; one without
    `valid_from` or `valid_to` is valid at any time.
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
    excluded: frozenset[str] = frozenset()
    """None of these documents, by id."""
    parents: frozenset[str] = frozenset()
    """Part of one of these documents, by id."""
    superseded_by: frozenset[str] = frozenset()
    """Superseded by one of these documents, by id: what they replace."""
    current: bool = False
    """Only what no other document supersedes; retrievers ask for that unless the plan says otherwise."""
    valid_at: datetime | None = None
    """Only what is valid at this time."""
    metadata: tuple[Condition, ...] = ()
    block_metadata: tuple[Condition, ...] = ()
    """On the metadata of the block itself: the speaker of a turn, or what a record says of its part.

    A list of documents has those with a block that meets them.
    """

    @classmethod
    def parse(cls, settings: Mapping[str, object], *, place: str = "filters") -> Filters:
        """Filters from the settings of an author; a mistake raises InputError.

        >>> Filters.parse({"kind": "note", "metadata": {"year": {"from": 2024}}}).metadata
        (Between(key='year', low=2024, high=None),)
        """
        from biblicus_context.stores.written_filters import parsed  # loads pydantic

        return parsed(settings, place)

    @classmethod
    def of(cls, spec: FilterSpec) -> Filters:
        """The filters that an author wrote."""
        from biblicus_context.stores.written_filters import filters_of  # loads pydantic

        return filters_of(spec)

    @property
    def depends_on_time(self) -> bool:
        """Whether the same search may find other documents later, although nothing was written."""
        if self.accessed is not None:
            return True
        created, updated = self.created, self.updated
        return bool((created and created.within) or (updated and updated.within))

    def resolved(self, now: datetime) -> Filters:
        """The same filters with fixed times: a store takes no others."""
        if not self.depends_on_time:
            return self
        return replace(
            self,
            created=self.created and self.created.resolved(now),
            updated=self.updated and self.updated.resolved(now),
            accessed=self.accessed and self.accessed.resolved(now),
        )


NO_FILTERS = Filters()
