"""BC501: a nested context places the history."""

from __future__ import annotations

from collections.abc import Iterator

from biblicus_context.lint.engine.finding import Severity, Violation
from biblicus_context.lint.engine.rule import Rule
from biblicus_context.lint.facts.project.declarations import Declarations
from biblicus_context.lint.facts.project.plan import Plan
from biblicus_context.lint.facts.templates.texts import directives_of
from biblicus_context.lint.rules.example_parts import STYLE
from biblicus_context.spec.directive import HistoryInsertSpec


def _check(plan: Plan, declared: Declarations) -> Iterator[Violation]:
    for path, _ in directives_of(plan.declaration, HistoryInsertSpec):
        outer = next(declared.inserted_by(plan.declaration.name), None)
        if outer is not None:
            yield plan.violation(
                path,
                f"a nested context cannot place the history; context '{outer.name}' inserts this one",
                advice=f"Place the history in context '{outer.name}'.",
            )


RULE = Rule(
    code="BC501",
    name="history-in-nested-context",
    severity=Severity.ERROR,
    finds="A context places the history, and another context inserts it.",
    why=(
        "A nested context becomes a text inside one message, which cannot contain a conversation. "
        "The engine rejects the outer context."
    ),
    instead="Place the history in the outer context.",
    bad="""\
kind: context
name: support
messages:
  - {type: context, name: style}
  - {type: user, content: "{input.question}"}
---
kind: context
name: style
messages:
  - {type: system, content: Answer in short sentences.}
  - {type: history}  # <- BC501
""",
    good="""\
kind: context
name: support
messages:
  - {type: context, name: style}
  - {type: history}
  - {type: user, content: "{input.question}"}
"""
    + STYLE,
    check=_check,
)
