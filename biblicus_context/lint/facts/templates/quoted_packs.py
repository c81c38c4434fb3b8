"""The packs that a text can quote as `{context.NAME}`, and those with `place: quoted`."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from biblicus_context.lint.facts.budgets.packs import PackInsert, inserts
from biblicus_context.lint.facts.memoize import once_per_declaration, once_per_project
from biblicus_context.lint.facts.project.declarations import Declarations
from biblicus_context.lint.facts.project.nesting import enclosing_contexts, inserting_contexts
from biblicus_context.lint.facts.project.plan import Plan
from biblicus_context.lint.facts.templates.parsed_template import TemplateName
from biblicus_context.lint.facts.templates.texts import (
    DirectiveText,
    FieldText,
    Steps,
    directives_of,
    texts,
)
from biblicus_context.reading.kinds import Declaration
from biblicus_context.spec.context import ContextDeclaration
from biblicus_context.spec.directive import ContextInsertSpec


@once_per_declaration
def inserted_packs(context: ContextDeclaration) -> frozenset[str]:
    """The packs that a context inserts itself."""
    return frozenset(insert.name for insert in context.inserts)


@once_per_project
def outer_packs(context: ContextDeclaration, declared: Declarations) -> frozenset[str]:
    """The packs that other contexts insert before this one."""
    inside = [context, *enclosing_contexts(context, declared)]
    return frozenset(
        name
        for each in inside
        for outer in inserting_contexts(each.name, declared)
        for name in _before(each.name, outer)
    )


def packs_before(name: str, declared: Declarations) -> Iterator[tuple[str, frozenset[str]]]:
    """For each context that uses this retriever: its name, and the packs it inserts before."""
    for outer in inserting_contexts(name, declared):
        yield outer.name, outer_packs(outer, declared).union(_before(name, outer))


def _before(name: str, outer: ContextDeclaration) -> Iterator[str]:
    for insert in outer.inserts:
        if insert.name == name:
            return
        yield insert.name


def quoted_packs(written: DirectiveText | FieldText) -> Iterator[tuple[str, TemplateName]]:
    """The packs that a text needs, each at its first use; one with a default is not needed."""
    seen: set[str] = set()
    for use in written.parsed.uses:
        if use.first != "context" or use.has_default:
            continue
        _, name, *_ = [*use.path.split("."), ""]
        if name and name not in seen:
            seen.add(name)
            yield name, use


class OwnQuote(NamedTuple):
    """A text that quotes a pack which only its own context inserts, and all inserts of the pack."""

    text: DirectiveText
    name: str
    use: TemplateName
    inserts: Sequence[PackInsert]


def own_quotes(plan: Plan, declared: Declarations) -> Iterator[OwnQuote]:
    """The quotes of a document whose packs no other context inserts before."""
    context = plan.declaration
    if not isinstance(context, ContextDeclaration):
        return
    own: dict[str, list[PackInsert]] = defaultdict(list)
    for insert in inserts(plan, declared):
        own[insert.name].append(insert)
    for text in texts(context):
        for name, use in quoted_packs(text):
            if name in own and name not in outer_packs(context, declared):
                yield OwnQuote(text, name, use, own[name])


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
