"""The texts around the blocks of a pack: title, header, footer, and what is written without any."""

from __future__ import annotations

from collections import Counter as Tally
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Final, NamedTuple, TypeAlias

from biblicus_context.retrieval.packs.block_format import one_line
from biblicus_context.text.templates.placeholders import unknown_name
from biblicus_context.text.templates.segments import segments_of
from biblicus_context.text.templates.template import Template, compile_template

SURROUNDING_NAMES: Final = ("count", "total", "sources", "documents", "vars")
"""The names that texts around blocks can use."""
Origin: TypeAlias = tuple[str, str]
"""The kind of a block, and the document that it is of."""
_MOST_REMEMBERED: Final = 512


class Sources(Mapping[str, int]):
    """A number for each kind, such as that of its blocks; 0 for every other kind.

    >>> len(Sources({"note": 2})), Sources({"note": 2})["commit"]
    (1, 0)
    """

    __slots__ = ("_counts",)

    def __init__(self, counts: Mapping[str, int]) -> None:
        self._counts = {one_line(kind): count for kind, count in counts.items() if count}

    def __getitem__(self, kind: str) -> int:
        return self._counts.get(kind, 0)

    def __contains__(self, kind: object) -> bool:
        return True

    def __iter__(self) -> Iterator[str]:
        return iter(self._counts)

    def __len__(self) -> int:
        return len(self._counts)


@dataclass(frozen=True, slots=True)
class Contents:
    """What a pack contains, for the texts around its blocks."""

    count: int = 0
    """Blocks that are placed."""
    total: int = 0
    """Blocks that are offered."""
    sources: Mapping[Origin, int] = field(default_factory=dict)
    """How many blocks of each kind and document are placed, of this pack and of those before it."""

    @property
    def blocks_by_kind(self) -> Sources:
        """The placed blocks of each kind."""
        found = Tally[str]()
        for (kind, _), count in self.sources.items():
            found[kind] += count
        return Sources(found)

    @property
    def documents_by_kind(self) -> Sources:
        """The documents of each kind of which blocks are placed."""
        return Sources(Tally(kind for (kind, _), count in self.sources.items() if count))


class SurroundingText(NamedTuple):
    """A compiled text around blocks."""

    template: Template
    pattern: str | None = None
    """The text with `%` signs for figures alone, where it names nothing else."""
    figures: tuple[str, ...] = ()

    @property
    def names_sources(self) -> bool:
        """Whether it depends on which kinds of blocks are placed."""
        return not {"sources", "documents"}.isdisjoint(self.template.names)

    @property
    def names_the_call(self) -> bool:
        """Whether it depends on names of the call: another name is an error."""
        return "vars" in self.template.names

    def text(self, contents: Contents, names: Mapping[str, object]) -> str:
        """The text for these contents, and the names of the call."""
        if self.pattern is not None:
            known = {"count": contents.count, "total": contents.total}
            return self.pattern % tuple([known[name] for name in self.figures])
        return self.template.render(
            {
                "count": contents.count,
                "total": contents.total,
                "sources": contents.blocks_by_kind,
                "documents": contents.documents_by_kind,
                "vars": names,
            }
        )


@lru_cache(maxsize=_MOST_REMEMBERED)  # each assembly asks for the same ones
def surrounding_text(source: str | None, place: str) -> SurroundingText | None:
    """The text of this source, if there is one; an unknown name is a TemplateError."""
    if source is None:
        return None
    template = compile_template(source, place=place)
    for name in sorted(template.names):
        if name.split(".")[0] not in SURROUNDING_NAMES:
            raise unknown_name(name.split(".")[0], SURROUNDING_NAMES, place=place)
    return SurroundingText(template, *_figures(source))


def _figures(source: str) -> tuple[str | None, tuple[str, ...]]:
    """A text with nothing but figures, as a pattern and their names; most headers are that."""
    segments = segments_of(source)
    if segments is None or any(path not in (("count",), ("total",)) for path in segments[1::2]):
        return None, ()
    words = (part.replace("%", "%%") if isinstance(part, str) else "%d" for part in segments)
    return "".join(words), tuple(path[0] for path in segments[1::2])
