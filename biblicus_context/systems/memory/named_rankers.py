"""Rankers by name: what a plan declares, and functions of a program."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Final, TypeAlias, TypeVar

from biblicus_context.base import door, require_text
from biblicus_context.errors import InputError
from biblicus_context.ingest import Record
from biblicus_context.retrieval import ordered_by, rerank
from biblicus_context.systems.memory.record_pack import pack_of_records

T = TypeVar("T")
_Function: TypeAlias = Callable[[list[Any]], Iterable[Any]]
_Ranker: TypeAlias = str | Mapping[str, Any] | _Function
_USUAL: Final[Mapping[str, _Ranker]] = {
    name: name for name in ("similarity", "recency", "confidence")
}
_FIX: Final = "Pass a function that returns the results in their order."


@door
class NamedRankers:
    """Orders results by the name of a ranker, or by a function of the results.

    `similarity`, `recency` and `confidence` are known; others are functions, or what a retriever may
    declare as `rank`.

    >>> from biblicus_context import Record
    >>> notes = [Record(id="a", text="Tea.", confidence=0.2), Record(id="b", text="Ale.", confidence=1)]
    >>> found = NamedRankers().order(notes, "confidence", lambda note: (note, 1.0))
    >>> [(note.id, score) for note, score in found]
    [('b', 1.0), ('a', 0.2)]
    """

    def __init__(self, declared: Mapping[str, str | Mapping[str, Any]] | None = None) -> None:
        self._declared = declared or {}
        self._known: dict[str, _Ranker] = {**_USUAL, **self._declared}

    def add(self, name: str, ranker: Callable[[list[Any]], Iterable[Any]]) -> None:
        """Add a function, or replace what has this name."""
        require_text(name=name)
        self._known[name] = _function(ranker, name)

    def is_declared(self, ranker: str | Callable[..., Any]) -> bool:
        """Whether it is declared, and so may be what a search ordered its results by."""
        if not isinstance(ranker, str) or ranker not in self._declared:
            return False
        return self._known[ranker] is self._declared[ranker]

    def order(
        self,
        results: Sequence[T],
        ranker: str | Callable[[list[T]], Iterable[T]],
        record_of: Callable[[T], tuple[Record, float]],
    ) -> list[tuple[T, float | None]]:
        """The results, best first, each with what it was ordered by: None after a function.

        `record_of` returns the record of a result, and how similar it is to the query.
        """
        given = self._named(ranker) if isinstance(ranker, str) else _function(ranker, "ranker")
        if callable(given):
            return [(each, None) for each in ordered_by(given, [*results])]
        blocks = pack_of_records([record_of(each) for each in results]).blocks
        # A block says half a surrogate in another way than the id that it is made of.
        known = {block.evidence_item_id: e for block, e in zip(blocks, results, strict=True)}
        ranked = rerank(blocks, given)
        return [(known[each.evidence_item_id], each.score) for each in ranked]

    def _named(self, name: str) -> _Ranker:
        if name not in self._known:
            raise InputError("no such ranker", found=name, valid=self._known)
        return self._known[name]


def _function(ranker: _Function, place: str) -> _Function:
    if not callable(ranker):
        raise InputError("this is not a ranker", place=place, found=ranker, fix=_FIX)
    return ranker
