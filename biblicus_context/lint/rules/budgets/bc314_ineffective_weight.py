"""BC314: a weight on the only pack."""

from __future__ import annotations

from collections.abc import Iterator

from biblicus_context.lint.engine.finding import Severity, Violation
from biblicus_context.lint.engine.rule import Rule
from biblicus_context.lint.facts.budgets.packs import inserts
from biblicus_context.lint.facts.project.declarations import Declarations
from biblicus_context.lint.facts.project.plan import Plan
from biblicus_context.lint.facts.source.removal import removal
from biblicus_context.lint.rules.example_parts import KNOWLEDGE_BASE, NEWS


def _check(plan: Plan, declared: Declarations) -> Iterator[Violation]:
    found = inserts(plan, declared)
    if len(found) != 1:
        return
    (only,) = found
    for key in ("weight", "priority"):
        if key in only.options.model_fields_set:
            yield plan.violation(
                (*only.path, key),
                f"'{key}' has no effect: '{only.name}' is the only pack of this context",
                advice="Remove it.",
                edits=removal(plan, (*only.path, key)),
            )


RULE = Rule(
    code="BC314",
    name="ineffective-weight",
    severity=Severity.NOTE,
    finds="The only pack of a context has a `weight` or a `priority`.",
    why=(
        "Weight and priority divide the pack budget among several packs. A single pack always gets "
        "the whole pack budget."
    ),
    instead="Remove them, or limit the pack with a `budget`.",
    bad="""\
kind: context
name: support
messages:
  - {type: context, name: kb, weight: 2, format: {fence: true}}  # <- BC314
  - {type: user, content: "{input.question}"}
"""
    + KNOWLEDGE_BASE,
    good="""\
kind: context
name: support
messages:
  - {type: context, name: kb, weight: 2, format: {fence: true}}
  - {type: context, name: news, format: {fence: true}}
  - {type: user, content: "{input.question}"}
"""
    + KNOWLEDGE_BASE
    + NEWS,
    check=_check,
)
