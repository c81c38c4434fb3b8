"""BC423: a pack is placed where it is quoted, but no text quotes it."""

from __future__ import annotations

from collections.abc import Iterator

from biblicus_context.lint.engine.finding import Severity, Violation
from biblicus_context.lint.engine.rule import Rule
from biblicus_context.lint.facts.project.declarations import Declarations
from biblicus_context.lint.facts.project.plan import Plan
from biblicus_context.lint.facts.templates.placed_by_quotes import placed_by_quotes
from biblicus_context.lint.rules.example_parts import KNOWLEDGE_BASE
from biblicus_context.text.templates.placeholders import quote_of


def _check(plan: Plan, _: Declarations) -> Iterator[Violation]:
    for placed in placed_by_quotes(plan.declaration):
        if not placed.quotes:
            yield plan.violation(
                (*placed.path, "place"),
                f"no later text quotes pack '{placed.name}', so it is never placed",
                advice=f"Write {quote_of(placed.name)} into a text after it, "
                "or remove place: quoted.",
            )


RULE = Rule(
    code="BC423",
    name="unquoted-pack",
    severity=Severity.ERROR,
    finds="A pack has `place: quoted`, but no later text of the context quotes it.",
    why=(
        "Such a pack is placed only where a text after it has `{context.NAME}`. Without one the "
        "call fails. Texts of nested contexts and queries do not count."
    ),
    instead="Quote the pack in a text after it, or remove `place: quoted`.",
    bad="""\
kind: context
name: support
messages:
  - {type: context, name: kb, place: quoted, format: {fence: true}}  # <- BC423
  - {type: user, content: "{input.question}"}
"""
    + KNOWLEDGE_BASE,
    good="""\
kind: context
name: support
messages:
  - {type: context, name: kb, place: quoted, format: {fence: true}}
  - type: user
    content: |-
      Evidence:
      {context.kb}
      Question: {input.question}
"""
    + KNOWLEDGE_BASE,
    check=_check,
)
