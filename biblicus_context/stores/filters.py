"""The filters of a search: conditions on a block and its document that must all hold."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from typing import TYPE_CHECKING, Final, NamedTuple

from biblicus_context.base.doors import door
from biblicus_context.stores.filter_conditions import Comparison, Condition, How, TimeRange

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
    created: TimeRange | None = None
    updated: TimeRange | None = None
    accessed: TimeRange | None = None
    min_confidence: float | None = None
    min_importance: float | None = None
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

    def comparisons(self) -> Iterator[Comparison]:
        """What the filters ask of a document, but for its metadata; those without a value ask nothing.

        >>> [*Filters(kinds=frozenset({"note"})).comparisons()]
        [Comparison(how='one_of', field='kind', value=frozenset({'note'}))]
        """
        for each in _COMPARED:
            value = getattr(self, each.name)
            if value or (value is not None and each.how == "at_least"):
                yield Comparison(each.how, each.field, value)

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


class _Asked(NamedTuple):
    """A filter, how it compares which field of a document, and the key that an author writes for it."""

    name: str
    how: How
    field: str
    written: str = ""


_COMPARED: Final = (
    _Asked("kinds", "one_of", "kind", written="kind"),
    _Asked("tags_any", "tags_any", "tags", written="tags.any"),
    _Asked("tags_all", "tags_all", "tags", written="tags.all"),
    _Asked("paths", "globs", "path", written="path"),
    _Asked("conversations", "one_of", "conversation", written="conversation"),
    _Asked("documents", "one_of", "id", written="document"),
    _Asked("excluded", "none_of", "id", written="exclude_documents"),
    _Asked("parents", "one_of", "parent", written="parent"),
    _Asked("superseded_by", "one_of", "superseded_by"),
    _Asked("current", "absent", "superseded_by"),  # an author writes the opposite: `superseded`
    _Asked("valid_at", "valid_at", "valid"),
    _Asked("created", "times", "created", written="created"),
    _Asked("updated", "times", "updated", written="updated"),
    _Asked("accessed", "times", "accessed", written="accessed"),
    _Asked("min_confidence", "at_least", "confidence", written="min_confidence"),
    _Asked("min_importance", "at_least", "importance", written="min_importance"),
)
"""All but those on metadata: what a store compares follows from this."""
WRITTEN: Final[Mapping[str, str]] = {each.name: each.written for each in _COMPARED if each.written}
"""The key that an author writes for a filter, by the name of the filter."""
NO_FILTERS = Filters()
