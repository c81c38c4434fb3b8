"""BC501: a context that others insert places the history."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from biblicus_context.lint.engine.finding import Remark, Severity
from biblicus_context.lint.engine.rule import Rule
from biblicus_context.lint.facts.templates.texts import directives
from biblicus_context.lint.rules.example_parts import STYLE
from biblicus_context.spec.directive import HistoryInsertSpec

if TYPE_CHECKING:
    from biblicus_context.lint.facts.project.declarations import Declared
    from biblicus_context.lint.facts.project.plan import Plan


def _check(plan: Plan, declared: Declared) -> Iterator[Remark]:
    for path, directive, _ in directives(plan.declaration):
        if isinstance(directive, HistoryInsertSpec):
            outer = next(declared.inserted_by(plan.declaration.name), None)
            if outer is not None:
                yield plan.remark(
                    path,
                    f"context '{outer.name}' inserts this one, and a nested context cannot place "
                    "the history",
                    advice="Place the history in the context that callers ask for.",
                )


RULE = Rule(
    code="BC501",
    name="history-in-nested-context",
    severity=Severity.ERROR,
    finds="A context places the history, and another context inserts it.",
    why="A nested context becomes one text inside a message. A conversation cannot be placed there, "
    "so the engine refuses the outer context before anything runs.",
    instead="Place the history in the outer context, and take it out of the nested one.",
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
