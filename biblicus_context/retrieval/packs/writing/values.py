"""The values that the templates of a format can name, each on one line but for the content."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from types import MappingProxyType
from typing import Final

from biblicus_context.retrieval.candidate import Candidate
from biblicus_context.retrieval.packs.block_format import citation_id, one_line
from biblicus_context.retrieval.packs.facts import facts_of
from biblicus_context.retrieval.packs.pack import ContextPackBlock
from biblicus_context.text.templates.segments import Path
from biblicus_context.text.templates.values import MISSING, as_text


@dataclass(frozen=True, slots=True)
class ItemPlace:
    """Where a block is among those of its pack."""

    index: int = 1
    count: int = 1
    """The blocks that are placed."""
    total: int = 1
    """The blocks that are offered."""

    def figures(self, names: Container[str]) -> tuple[int | None, ...]:
        """Those of the figures that are named."""
        return (
            self.index if "index" in names else None,
            self.count if "count" in names else None,
            self.total if "total" in names else None,
        )


ALONE: Final = ItemPlace()
"""The place of a block for a format that names no place."""


class Item:
    """A block to write; its facts are put together only for a template that names one."""

    __slots__ = ("_facts", "block", "place")

    def __init__(self, block: ContextPackBlock, place: ItemPlace = ALONE) -> None:
        self.block = block
        self.place = place
        self._facts: Candidate | None = None

    @property
    def facts(self) -> Candidate:
        """What is known of the block."""
        if self._facts is None:
            self._facts = facts_of(self.block)
        return self._facts


class _Lines(Mapping[str, object]):
    """Metadata whose texts have one line each; what is not there is missing, not an error."""

    __slots__ = ("_values",)

    def __init__(self, values: Mapping[str, object]) -> None:
        self._values = values

    def __getitem__(self, name: str) -> object:
        return _on_lines(self._values.get(name))

    def __contains__(self, name: object) -> bool:
        return True

    def __iter__(self) -> Iterator[str]:
        return iter(self._values)

    def __len__(self) -> int:
        return len(self._values)


def _on_lines(value: object) -> object:
    match value:
        case None:
            return MISSING
        case str():
            return one_line(value)
        case Mapping():
            return _Lines(value)
        case list() | tuple():
            return [_on_lines(each) for each in value]
        case datetime():
            return _iso(value)
        case _:
            return value


def _where(item: Item) -> str:
    facts = item.facts
    return one_line(facts.where or facts.source or item.block.evidence_item_id)


def _lines(item: Item) -> str:
    lines = item.facts.lines
    return f"{lines[0]}-{lines[1]}" if lines else ""


def _iso(moment: datetime | None) -> str:
    if moment is None:
        return ""
    if moment.tzinfo is UTC:
        return f"{moment.replace(tzinfo=None).isoformat()}Z"
    text = moment.isoformat()
    return f"{text[:-6]}Z" if text.endswith("+00:00") else text


ITEM_TEXTS: Final[Mapping[str, Callable[[Item], str]]] = MappingProxyType(
    {
        "content": lambda item: item.block.text,
        "id": lambda item: one_line(item.block.evidence_item_id),
        "kind": lambda item: one_line(item.facts.kind),
        "type": lambda item: one_line(item.facts.kind),
        "title": lambda item: one_line(item.facts.title),
        "heading": lambda item: one_line(" > ".join(item.facts.heading)),
        "path": lambda item: one_line(item.facts.path or ""),
        "source": lambda item: one_line(item.facts.source or ""),
        "where": _where,
        "lines": _lines,
        "tags": lambda item: one_line(", ".join(item.facts.tags)),
        "replaces": lambda item: one_line(", ".join(item.facts.replaces)),
        "created": lambda item: _iso(item.facts.created),
        "updated": lambda item: _iso(item.facts.updated),
        "timestamp": lambda item: _iso(item.facts.changed),
        "citation": lambda item: citation_id(item.block.evidence_item_id),
    }
)
"""Values that are texts; empty where they are missing."""

ITEM_VALUES: Final[Mapping[str, Callable[[Item], object]]] = MappingProxyType(
    {
        **ITEM_TEXTS,
        "start_line": lambda item: item.facts.lines[0] if item.facts.lines else None,
        "end_line": lambda item: item.facts.lines[1] if item.facts.lines else None,
        "score": lambda item: item.block.score,
        "confidence": lambda item: item.facts.confidence,
        "importance": lambda item: item.facts.importance,
        "metadata": lambda item: _Lines(item.facts.metadata),
        "origin": lambda item: _Lines(item.facts.origin.as_metadata()),
        "index": lambda item: item.place.index,
        "count": lambda item: item.place.count,
        "total": lambda item: item.place.total,
    }
)
"""The names that an item, and a note on a cut, can use."""

PLACE_NAMES: Final = frozenset({"index", "count", "total"})
"""Values that depend on which other blocks are placed."""


def names_of(item: Item, used: Iterable[str]) -> dict[str, object]:
    """The values that a template uses by name; None and an empty text are missing."""
    values = {name: ITEM_VALUES[name](item) for name in used}
    return {name: MISSING if value in (None, "") else value for name, value in values.items()}


def text_at(path: Path) -> Callable[[Item], str]:
    """What writes the value at a path; an unknown first name is a KeyError."""
    first, *rest = path
    if not rest and first in ITEM_TEXTS:
        return ITEM_TEXTS[first]
    value = ITEM_VALUES[first]
    if not rest:
        return lambda item: _written(value(item))
    return lambda item: _written(_at(value(item), rest))


def _at(value: object, path: list[str]) -> object:
    for part in path:
        if isinstance(value, Mapping):
            value = value[part]
        elif isinstance(value, list) and part.isdecimal() and int(part) < len(value):
            value = value[int(part)]
        else:
            return None
    return value


def _written(value: object) -> str:
    if isinstance(value, str):
        return value
    if type(value) in (int, float):  # most others
        return str(value)
    try:
        return one_line(as_text(value))
    except (TypeError, ValueError, RecursionError):
        return f"({type(value).__name__})"
