"""The packs with `place: quoted`, and the later texts that quote them."""

from __future__ import annotations

from typing import NamedTuple

from biblicus_context.lint.facts.memoize import once_per_declaration
from biblicus_context.lint.facts.templates.parsed_template import TemplateName
from biblicus_context.lint.facts.templates.texts import DirectiveText, Steps, directives_of, texts
from biblicus_context.reading.kinds import Declaration
from biblicus_context.spec.directive import ContextInsertSpec


class PackQuote(NamedTuple):
    """One use of a pack in a text."""

    text: DirectiveText
    use: TemplateName

    @property
    def filters(self) -> frozenset[str]:
        """The filters that the pack passes through before it is written."""
        written = self.text.parsed.filtered
        return frozenset(name for offset, name in written if offset == self.use.offset)


class PlacedByQuotes(NamedTuple):
    """A pack that is placed only where texts quote it."""

    path: Steps
    name: str
    quotes: tuple[PackQuote, ...]


@once_per_declaration
def placed_by_quotes(declaration: Declaration) -> tuple[PlacedByQuotes, ...]:
    """The packs of a context that are placed by quotes; a later one of the same name hides an earlier one."""
    found: list[PlacedByQuotes] = []
    inserts = [*directives_of(declaration, ContextInsertSpec)]
    for path, spec in inserts:
        if spec.place != "quoted":
            continue
        hidden_by = [
            number(other)
            for other, each in inserts
            if each.name == spec.name and number(other) > number(path)
        ]
        end = min(hidden_by, default=None)
        quotes = tuple(
            PackQuote(text, use)
            for text in texts(declaration)
            if number(path) < number(text.directive)
            and (end is None or number(text.directive) < end)
            and "context" not in text.spec.vars
            for use in text.parsed.uses
            if use.path == f"context.{spec.name}"
        )
        found.append(PlacedByQuotes(path, spec.name, quotes))
    return tuple(found)


def number(path: Steps) -> int:
    """Where in the messages a directive or one of its alternatives is."""
    return int(path[1])
