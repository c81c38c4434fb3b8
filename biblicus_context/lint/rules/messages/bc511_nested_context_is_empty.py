"""BC511: a context that others insert brings nothing with it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from biblicus_context.lint.engine.finding import Remark, Severity
from biblicus_context.lint.engine.rule import Rule
from biblicus_context.lint.facts.budgets.policies import is_inserted
from biblicus_context.lint.rules.example_parts import STYLE
from biblicus_context.spec.context import ContextDeclaration

if TYPE_CHECKING:
    from biblicus_context.lint.facts.project.declarations import Declared
    from biblicus_context.lint.facts.project.plan import Plan


def _check(plan: Plan, declared: Declared) -> Iterator[Remark]:
    context = plan.declaration
    if not isinstance(context, ContextDeclaration) or context.messages or context.packs:
        return
    if is_inserted(context, declared):
        yield plan.remark(
            ("name",),
            "this context is inserted by another one, and has neither messages nor packs",
            advice="Give it messages, or do not insert it.",
        )


RULE = Rule(
    code="BC511",
    name="nested-context-is-empty",
    severity=Severity.WARNING,
    finds="A context without messages and packs is inserted by another one.",
    why="A nested context brings only what it declares itself: the base system prompt, the history "
    "and the user message of the default plan belong to the context that callers ask for.",
    instead="Write the texts of the context under `messages`.",
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
