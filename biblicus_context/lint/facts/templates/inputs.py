"""The inputs that texts of a context can name, given what it and the contexts around it declare."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from biblicus_context.assembly.inputs import ALWAYS_ACCEPTED
from biblicus_context.lint.facts.memoize import once_per_document
from biblicus_context.lint.facts.project.nesting import (
    enclosing_contexts,
    inserting_contexts,
    nested_contexts,
)
from biblicus_context.lint.facts.templates.parsed_template import NameUse, ParsedTemplate
from biblicus_context.lint.facts.templates.texts import (
    FieldText,
    MessageText,
    conditions,
    queries,
    texts,
)
from biblicus_context.reading.kinds import Declaration
from biblicus_context.spec.context import ContextDeclaration, InputSpec
from biblicus_context.spec.retriever import RetrieverDeclaration

if TYPE_CHECKING:
    from biblicus_context.lint.facts.project.declarations import Declarations
    from biblicus_context.lint.facts.project.plan import Plan


def inputs_of(
    context: ContextDeclaration, declared: Declarations
) -> Mapping[str, InputSpec] | None:
    """The inputs a context can count on the names of; None where anything may be handed in."""
    found: dict[str, InputSpec] = {}
    for each in (*reversed(enclosing_contexts(context, declared)), context):
        if each.inputs is None:
            return None
        found |= each.inputs
    return found


@once_per_document
def input_uses(
    plan: Plan, declared: Declarations
) -> tuple[tuple[MessageText | FieldText, NameUse], ...]:
    """Every use of an input in a document, with the text it stands in."""
    written: tuple[MessageText | FieldText, ...] = (
        *texts(plan.declaration),
        *conditions(plan.declaration),
        *queries(plan.declaration),
    )
    return tuple(
        (each, use)
        for each in written
        if not (isinstance(each, MessageText) and "input" in each.spec.vars)
        for use in each.parsed.uses
        if use.first == "input"
    )


def contracts(plan: Plan, declared: Declarations) -> Iterator[tuple[str, Mapping[str, InputSpec]]]:
    """The inputs that a document's texts can name, for each context in which they are written."""
    match plan.declaration:
        case ContextDeclaration() as context:
            yield from _contract(context, declared)
        case RetrieverDeclaration(name=name):
            for outer in inserting_contexts(name, declared):
                yield from _contract(outer, declared)


def is_accepted_anyway(name: str) -> bool:
    """Whether any context may be given an input of this name."""
    return name in ALWAYS_ACCEPTED


def names_used(context: ContextDeclaration, declared: Declarations) -> frozenset[str] | None:
    """The inputs a context uses, with what it inserts; None where any of them may be used."""
    used: set[str] = set()
    for each in (context, *nested_contexts(context, declared)):
        for insert in each.inserts:
            if not declared.context(insert.name) and not _retriever(insert.name, declared):
                return None  # one that Python hands in may have a query of its own
        for reading in _readings(each, declared):
            for use in reading.uses:
                if use.path == "input":
                    return None
                used |= {use.path.split(".")[1]} if use.first == "input" else set()
    return frozenset(used)


def _readings(context: ContextDeclaration, declared: Declarations) -> Iterator[ParsedTemplate]:
    yield from (text.parsed for text in texts(context))
    yield from (condition.parsed for condition in conditions(context))
    for insert in context.inserts:
        retriever = _retriever(insert.name, declared)
        if retriever is not None:
            yield from (query.parsed for query in queries(retriever))


def _retriever(name: str, declared: Declarations) -> Declaration | None:
    entry = declared.by_name.get(("retriever", name))
    return entry.declaration if entry else None


def _contract(
    context: ContextDeclaration, declared: Declarations
) -> Iterator[tuple[str, Mapping[str, InputSpec]]]:
    known = inputs_of(context, declared)
    if known is not None:
        yield context.name, known
