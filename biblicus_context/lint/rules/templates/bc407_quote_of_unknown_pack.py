"""BC407: a text quotes a pack that is not inserted."""

from __future__ import annotations

from collections.abc import Iterator

from biblicus_context.lint.engine.finding import Severity, Violation
from biblicus_context.lint.engine.rule import Rule
from biblicus_context.lint.facts.project.declarations import Declarations
from biblicus_context.lint.facts.project.plan import Plan
from biblicus_context.lint.facts.templates.quoted_packs import (
    inserted_packs,
    outer_packs,
    packs_before,
    quoted_packs,
)
from biblicus_context.lint.facts.templates.texts import (
    DirectiveText,
    FieldText,
    conditions,
    queries,
    texts,
    violation_in,
)
from biblicus_context.lint.rules.example_parts import KNOWLEDGE_BASE
from biblicus_context.reading.listed_names import listed, sorted_names
from biblicus_context.spec.context import ContextDeclaration


def _check(plan: Plan, declared: Declarations) -> Iterator[Violation]:
    context = plan.declaration
    for query in queries(context):
        for outer, packs in packs_before(context.name, declared) if _quotes(query) else ():
            yield from _missing(plan, query, packs, f" before this retriever in context '{outer}'")
    if not isinstance(context, ContextDeclaration):
        return
    quoting = [text for text in texts(context) if _quotes(text) and "context" not in text.spec.vars]
    known = outer_packs(context, declared) | inserted_packs(context) if quoting else frozenset()
    for text in quoting:
        yield from _missing(plan, text, known)
    for condition in conditions(context):
        if _quotes(condition):
            known = outer_packs(context, declared)
            yield from _missing(
                plan, condition, known, ": conditions are evaluated before packs are fetched"
            )


def _quotes(written: DirectiveText | FieldText) -> bool:
    return any(use.first == "context" for use in written.parsed.uses)


def _missing(
    plan: Plan, written: DirectiveText | FieldText, packs: frozenset[str], reason: str = ""
) -> Iterator[Violation]:
    for name, use in quoted_packs(written):
        if name not in packs:
            yield violation_in(
                plan,
                written,
                use.offset,
                f"no pack of this name is inserted{reason}",
                found=name,
                valid=listed(name, sorted_names(packs)),
                advice=f"Insert it before this text: {{type: context, name: {name}}}.",
            )


RULE = Rule(
    code="BC407",
    name="quote-of-unknown-pack",
    severity=Severity.ERROR,
    finds="`{context.NAME}` names a pack that is not inserted.",
    why=(
        "`{context.NAME}` is replaced by the text of a pack of the same plan, or of a plan that "
        "inserts it. Without the pack the call fails. Queries can quote only packs placed before "
        "them; conditions cannot quote packs, because they are evaluated first."
    ),
    instead="Insert the pack before the text, or correct the name.",
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
