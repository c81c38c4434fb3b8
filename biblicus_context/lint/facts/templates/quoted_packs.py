"""The packs whose text a text can quote as `{context.NAME}`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from biblicus_context.lint.facts.budgets.packs import Insert, inserts
from biblicus_context.lint.facts.project.nesting import all_around, around
from biblicus_context.lint.facts.templates.parsed_template import Use
from biblicus_context.lint.facts.templates.texts import Text, Written
from biblicus_context.spec.context import ContextDeclaration

if TYPE_CHECKING:
    from biblicus_context.lint.facts.project.declarations import Declared
    from biblicus_context.lint.facts.project.plan import Plan


def own_packs(context: ContextDeclaration) -> frozenset[str]:
    """The packs that a context inserts itself."""
    return frozenset(insert.name for insert in context.inserts)


def packs_around(context: ContextDeclaration, declared: Declared) -> frozenset[str]:
    """The packs that are there already where other contexts insert this one."""
    inside = [context, *all_around(context, declared)]
    return frozenset(
        name
        for each in inside
        for outer in around(each.name, declared)
        for name in _before(each.name, outer)
    )


def packs_before(name: str, declared: Declared) -> Iterator[tuple[str, frozenset[str]]]:
    """For each context that asks this retriever: its name, and the packs it has by then."""
    for outer in around(name, declared):
        yield outer.name, packs_around(outer, declared).union(_before(name, outer))


def _before(name: str, outer: ContextDeclaration) -> Iterator[str]:
    for insert in outer.inserts:
        if insert.name == name:
            return
        yield insert.name


def quotes(written: Text | Written) -> Iterator[tuple[str, Use]]:
    """The packs a text needs, each at its first place; what has a default is not needed."""
    seen: set[str] = set()
    for use in written.reading.uses:
        if use.first != "context" or use.has_default:
            continue
        _, name, *_ = [*use.path.split("."), ""]
        if name and name not in seen:
            seen.add(name)
            yield name, use


def own_quotes(
    plan: Plan, declared: Declared, text: Text
) -> Iterator[tuple[str, Use, list[Insert]]]:
    """The quotes of packs that only this context inserts, with all inserts of the pack."""
    context = plan.declaration
    assert isinstance(context, ContextDeclaration)
    for name, use in quotes(text):
        own = [each for each in inserts(plan, declared) if each.name == name]
        if own and name not in packs_around(context, declared):
            yield name, use, own
