"""The packs that a text can quote as `{context.NAME}`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from biblicus_context.lint.facts.budgets.packs import PackInsert, inserts
from biblicus_context.lint.facts.project.nesting import enclosing_contexts, inserting_contexts
from biblicus_context.lint.facts.templates.parsed_template import NameUse
from biblicus_context.lint.facts.templates.texts import DirectiveText, FieldText
from biblicus_context.spec.context import ContextDeclaration

if TYPE_CHECKING:
    from biblicus_context.lint.facts.project.declarations import Declarations
    from biblicus_context.lint.facts.project.plan import Plan


def inserted_packs(context: ContextDeclaration) -> frozenset[str]:
    """The packs that a context inserts itself."""
    return frozenset(insert.name for insert in context.inserts)


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


def quoted_packs(written: DirectiveText | FieldText) -> Iterator[tuple[str, NameUse]]:
    """The packs that a text needs, each at its first use; one with a default is not needed."""
    seen: set[str] = set()
    for use in written.parsed.uses:
        if use.first != "context" or use.has_default:
            continue
        _, name, *_ = [*use.path.split("."), ""]
        if name and name not in seen:
            seen.add(name)
            yield name, use


def own_quotes(
    plan: Plan, declared: Declarations, text: DirectiveText
) -> Iterator[tuple[str, NameUse, list[PackInsert]]]:
    """The quotes of packs that only this context inserts, with all inserts of the pack."""
    context = plan.declaration
    assert isinstance(context, ContextDeclaration)
    for name, use in quoted_packs(text):
        own = [each for each in inserts(plan, declared) if each.name == name]
        if own and name not in outer_packs(context, declared):
            yield name, use, own
