"""BC511: a nested context without content."""

from __future__ import annotations

from collections.abc import Iterator

from biblicus_context.lint.engine.finding import Severity, Violation
from biblicus_context.lint.engine.rule import Rule
from biblicus_context.lint.facts.budgets.policies import is_inserted
from biblicus_context.lint.facts.project.declarations import Declarations
from biblicus_context.lint.facts.project.plan import Plan
from biblicus_context.lint.rules.example_parts import STYLE
from biblicus_context.spec.context import ContextDeclaration


def _check(plan: Plan, declared: Declarations) -> Iterator[Violation]:
    context = plan.declaration
    if not isinstance(context, ContextDeclaration) or context.messages or context.packs:
        return
    if is_inserted(context, declared):
        yield plan.violation(
            ("name",),
            "the nested context has neither messages nor packs",
            advice="Add messages to it, or do not insert it.",
        )


RULE = Rule(
    code="BC511",
    name="empty-nested-context",
    severity=Severity.WARNING,
    finds="A context without messages and packs is inserted by another one.",
    why=(
        "A nested context adds only what it declares itself. The base system prompt, the history "
        "and the user message of the default plan are placed only when a context is called "
        "directly."
    ),
    instead="Write the texts of the context under `messages`, or do not insert it.",
    bad="""\
kind: context
name: support
messages:
  - {type: context, name: style}
  - {type: user, content: "{input.question}"}
---
kind: context
name: style  # <- BC511
description: Answer in short sentences.
""",
    good="""\
kind: context
name: support
messages:
  - {type: context, name: style}
  - {type: user, content: "{input.question}"}
"""
    + STYLE,
    check=_check,
)
