"""Work is done once for each document and each declaration, and forgotten with it."""

from __future__ import annotations

import gc
import weakref

from biblicus_context.lint.facts.memoize import once_per_declaration, once_per_document
from biblicus_context.lint.facts.project.declarations import Declarations
from biblicus_context.lint.facts.project.plan import Plan
from biblicus_context.reading.kinds import Declaration
from tests.lint.rules.harness import declarations_of, plans_of
from tests.lint.rules.snippets import QUESTION, context

asked: list[str] = []


@once_per_document
def name_of(plan: Plan, declared: Declarations) -> str:
    asked.append(plan.declaration.name)
    return f"{plan.declaration.name} of {len(declared.entries)}"


@once_per_declaration
def length_of(declaration: Declaration) -> int:
    asked.append(declaration.name)
    return len(declaration.name)


def test_a_document_is_looked_at_once_in_each_project():
    asked.clear()
    one, other = plans_of(context(QUESTION)), plans_of(context(QUESTION, name="other"))
    alone, together = declarations_of(one), declarations_of([*one, *other])
    assert [name_of(one[0], alone) for _ in range(3)] == ["main of 1"] * 3
    assert name_of(one[0], together) == "main of 2"
    assert name_of(other[0], together) == "other of 2"
    assert asked == ["main", "main", "other"]


def test_a_declaration_is_looked_at_once():
    asked.clear()
    (plan,) = plans_of(context(QUESTION))
    assert [length_of(plan.declaration) for _ in range(3)] == [4, 4, 4]
    assert asked == ["main"]


def test_what_is_remembered_keeps_no_document_alive():
    plans = plans_of(context(QUESTION))
    name_of(plans[0], declarations_of(plans))
    length_of(plans[0].declaration)
    document, declaration = weakref.ref(plans[0].document), weakref.ref(plans[0].declaration)
    plans.clear()
    gc.collect()
    assert document() is None
    assert declaration() is None
