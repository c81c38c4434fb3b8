"""A parsed text: its fixed pieces, the names it uses, and their offsets."""

from __future__ import annotations

from functools import lru_cache
from typing import Final, NamedTuple

from biblicus_context.text.templates.placeholders import PLACEHOLDER

_CACHE_SIZE: Final = 512


class TemplateName(NamedTuple):
    """A dotted path that a text uses, and its offset."""

    path: str
    offset: int
    has_default: bool = False
    """Whether the value may be missing: it is tested by `is defined`, or has a default."""

    @property
    def first(self) -> str:
        """The name that the path begins with."""
        return self.path.partition(".")[0]


class TemplatePiece(NamedTuple):
    """Fixed text, or a part that depends on the names it uses."""

    offset: int
    text: str = ""
    uses: tuple[TemplateName, ...] = ()
    filters: frozenset[str] = frozenset()
    """The filters that a value passes through."""


class TemplateMistake(NamedTuple):
    """Why a template cannot be rendered, and the offset."""

    kind: str
    """syntax, filter, call or hidden."""
    offset: int
    problem: str
    found: str | None = None
    fix: str | None = None


class ParsedTemplate(NamedTuple):
    """The pieces, names and mistakes of a text."""

    pieces: tuple[TemplatePiece, ...] = ()
    uses: tuple[TemplateName, ...] = ()
    mistakes: tuple[TemplateMistake, ...] = ()
    guards: frozenset[str] = frozenset()
    """Paths that conditions test."""
    looped: frozenset[str] = frozenset()
    """Paths that loops iterate over."""
    filtered: frozenset[tuple[int, str]] = frozenset()
    """Offsets of paths that are written through a filter, each with the filter."""
    has_jinja: bool = False

    @property
    def fixed(self) -> str:
        """The text without the parts that depend on names."""
        return "".join(piece.text for piece in self.pieces)


@lru_cache(maxsize=_CACHE_SIZE)
def parse_content(source: str) -> ParsedTemplate:
    """Parse a text with placeholders.

    >>> [piece.text for piece in parse_content("Hello {input.name}!").pieces]
    ['Hello ', '', '!']
    """
    pieces: list[TemplatePiece] = []
    uses: list[TemplateName] = []
    end = 0
    for match in PLACEHOLDER.finditer(source) if "{" in source else ():
        if match.start() > end:
            pieces.append(TemplatePiece(end, source[end : match.start()]))
        use = TemplateName(match[1], match.start())
        uses.append(use)
        pieces.append(TemplatePiece(match.start(), uses=(use,)))
        end = match.end()
    if end < len(source):
        pieces.append(TemplatePiece(end, source[end:]))
    return ParsedTemplate(tuple(pieces), tuple(uses))
