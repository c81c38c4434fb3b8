"""BC408: a text quotes a pack that is placed later."""

from __future__ import annotations

from collections.abc import Iterator

from biblicus_context.lint.engine.finding import Severity, Violation
from biblicus_context.lint.engine.rule import Rule
from biblicus_context.lint.facts.project.declarations import Declarations
from biblicus_context.lint.facts.project.plan import Plan
from biblicus_context.lint.facts.templates.quoted_packs import own_quotes
from biblicus_context.lint.facts.templates.texts import Steps, violation_in
from biblicus_context.lint.rules.example_parts import KNOWLEDGE_BASE


def _check(plan: Plan, declared: Declarations) -> Iterator[Violation]:
    for text, name, use, own in own_quotes(plan, declared):
        if _is_after(own[0].path, text.directive):  # the first of them, so all are
            yield violation_in(
                plan,
                text,
                use.offset,
                f"pack '{name}' is placed after this text",
                found=f"context.{name}",
                advice="Move the pack before the text that quotes it.",
            )


def _is_after(path: Steps, other: Steps) -> bool:
    """Whether a directive comes later in `messages`."""
    return path[:1] == other[:1] and int(path[1]) > int(other[1])


RULE = Rule(
    code="BC408",
    name="quote-before-pack",
    severity=Severity.WARNING,
    finds="A text quotes a pack as `{context.NAME}`, but the pack is placed after it.",
    why=(
        "The model reads the quote first and the same evidence again later. Queries and nested "
        "contexts cannot quote a later pack at all."
    ),
    instead="Place the pack before the text.",
    bad="""\
kind: context
name: support
messages:
  - type: system
    content: |-
      Answer from this only:
      {context.kb}  <- BC408
  - {type: context, name: kb, format: {fence: true}}
  - {type: user, content: "{input.question}"}
"""
    + KNOWLEDGE_BASE,
    good="""\
kind: context
name: support
messages:
  - {type: context, name: kb, format: {fence: true}}
  - type: system
    content: |-
      Answer from this only:
      {context.kb}
  - {type: user, content: "{input.question}"}
"""
    + KNOWLEDGE_BASE,
    check=_check,
)
