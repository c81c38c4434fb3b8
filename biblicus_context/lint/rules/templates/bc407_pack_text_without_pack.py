"""BC407: a text quotes a pack that is not there."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from biblicus_context.lint.engine.finding import Remark, Severity
from biblicus_context.lint.engine.rule import Rule
from biblicus_context.lint.facts.templates.quoted_packs import (
    own_packs,
    packs_around,
    packs_before,
    quotes,
)
from biblicus_context.lint.facts.templates.texts import (
    Text,
    Written,
    conditions,
    queries,
    remark_in,
    texts,
)
from biblicus_context.lint.rules.example_parts import KNOWLEDGE_BASE
from biblicus_context.spec.context import ContextDeclaration

if TYPE_CHECKING:
    from biblicus_context.lint.facts.project.declarations import Declared
    from biblicus_context.lint.facts.project.plan import Plan


def _check(plan: Plan, declared: Declared) -> Iterator[Remark]:
    context = plan.declaration
    for query in queries(context):
        for outer, packs in packs_before(context.name, declared) if _quotes(query) else ():
            yield from _missing(plan, query, packs, f" where context '{outer}' asks this retriever")
    if not isinstance(context, ContextDeclaration):
        return
    for text in texts(context):
        if "context" not in text.spec.vars and _quotes(text):
            known = packs_around(context, declared) | own_packs(context)
            yield from _missing(plan, text, known)
    for condition in conditions(context):
        if _quotes(condition):
            known = packs_around(context, declared)
            yield from _missing(plan, condition, known, ": conditions are decided before packs")


def _quotes(written: Text | Written) -> bool:
    return any(use.first == "context" for use in written.reading.uses)


def _missing(
    plan: Plan, written: Text | Written, packs: frozenset[str], reason: str = ""
) -> Iterator[Remark]:
    for name, use in quotes(written):
        if name not in packs:
            yield remark_in(
                plan,
                written,
                use.offset,
                f"there is no pack of this name{reason}",
                found=name,
                valid=tuple(sorted(packs)),
                advice=f"Insert it before: {{type: context, name: {name}}}.",
            )


RULE = Rule(
    code="BC407",
    name="pack-text-without-pack",
    severity=Severity.ERROR,
    finds="`{context.NAME}` is used where no pack of this name has been inserted.",
    why="`{context.NAME}` stands for the text of a pack of the same plan, or of a plan around it. "
    "Without the pack the call ends in an error. Queries see the packs placed before them, and "
    "conditions see none, as they are decided before anything is asked.",
    instead="Insert the pack before the text, or spell its name as the directive does.",
    bad="""\
kind: context
name: support
messages:
  - {type: context, name: kb, format: {fence: true}}
  - type: user
    content: |-
      Which of these answers the question?
      {context.knowledge}  <- BC407
"""
    + KNOWLEDGE_BASE,
    good="""\
kind: context
name: support
messages:
  - {type: context, name: kb, format: {fence: true}}
  - type: user
    content: |-
      Which of these answers the question?
      {context.kb}
"""
    + KNOWLEDGE_BASE,
    check=_check,
)
