"""What stands in a text of an author: fixed stretches, names it uses, and where they are."""

from __future__ import annotations

from functools import lru_cache
from typing import Final, NamedTuple

from biblicus_context.text.templates.placeholders import PLACEHOLDER

_MOST_REMEMBERED: Final = 512
_JINJA_SIGNS: Final = ("{{", "{%", "{#")


class Use(NamedTuple):
    """A dotted path that a text uses, and where."""

    path: str
    offset: int
    has_default: bool = False
    """Whether it may be missing: it is tested by `is defined`, or has a default."""

    @property
    def first(self) -> str:
        """The name that the path begins with."""
        return self.path.partition(".")[0]


class Piece(NamedTuple):
    """A stretch of fixed text, or of text that depends on the names it uses."""

    offset: int
    text: str = ""
    uses: tuple[Use, ...] = ()
    filters: frozenset[str] = frozenset()
    """The filters that a value passes through."""


class Mistake(NamedTuple):
    """Why a template cannot be used, and where."""

    kind: str
    """syntax, filter, call or hidden."""
    offset: int
    problem: str
    found: str | None = None
    fix: str | None = None


class Reading(NamedTuple):
    """A text, taken apart."""

    pieces: tuple[Piece, ...] = ()
    uses: tuple[Use, ...] = ()
    mistakes: tuple[Mistake, ...] = ()
    guards: frozenset[str] = frozenset()
    """Paths that decide whether something else is written."""
    looped: frozenset[str] = frozenset()
    """Paths that a loop walks through."""
    has_jinja: bool = False

    @property
    def fixed(self) -> str:
        """The text with nothing in the place of what depends on names."""
        return "".join(piece.text for piece in self.pieces)


@lru_cache(maxsize=_MOST_REMEMBERED)
def read_content(source: str) -> Reading:
    """A text in which only placeholders stand for something.

    >>> [piece.text for piece in read_content("Hello {input.name}!").pieces]
    ['Hello ', '', '!']
    """
    pieces: list[Piece] = []
    uses: list[Use] = []
    end = 0
    for match in PLACEHOLDER.finditer(source) if "{" in source else ():
        if match.start() > end:
            pieces.append(Piece(end, source[end : match.start()]))
        use = Use(match[1], match.start())
        uses.append(use)
        pieces.append(Piece(match.start(), uses=(use,)))
        end = match.end()
    if end < len(source):
        pieces.append(Piece(end, source[end:]))
    return Reading(tuple(pieces), tuple(uses))


@lru_cache(maxsize=_MOST_REMEMBERED)
def read_template(source: str) -> Reading:
    """A text in which Jinja2 is understood as well."""
    if not any(sign in source for sign in _JINJA_SIGNS):
        return read_content(source)
    from biblicus_context.lint.facts.templates.jinja_parser import read_jinja  # noqa: PLC0415 - loads Jinja2

    return read_jinja(source)


@lru_cache(maxsize=_MOST_REMEMBERED)
def read_condition(source: str) -> Reading:
    """The expression of a `when:`."""
    from biblicus_context.lint.facts.templates.jinja_parser import read_expression  # noqa: PLC0415 - loads Jinja2

    return read_expression(source)
