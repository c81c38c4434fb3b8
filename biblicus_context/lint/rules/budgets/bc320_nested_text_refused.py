"""BC320: a nested context can never be placed whole, and may not be cut."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from biblicus_context.lint.engine.finding import Remark, Severity
from biblicus_context.lint.engine.rule import Rule
from biblicus_context.lint.facts.budgets.nested_shares import overfull

if TYPE_CHECKING:
    from biblicus_context.lint.facts.project.declarations import Declared
    from biblicus_context.lint.facts.project.plan import Plan


def _check(plan: Plan, declared: Declared) -> Iterator[Remark]:
    for found in overfull(plan, declared):
        if found.is_refused:
            reason = "it is pinned" if found.insert.options.pin else "of overflow: error"
            yield plan.remark(
                (*found.insert.path, "name"),
                f"the text of context '{found.insert.name}' has {found.tokens:,} tokens, may have "
                f"{found.room:,} here and cannot be cut, because {reason}",
                advice="Give it a larger budget or weight, or shorten its text.",
            )


RULE = Rule(
    code="BC320",
    name="nested-text-refused",
    severity=Severity.ERROR,
    finds="The text of an inserted context is larger than its share, and nothing may be cut.",
    why="A pack with `pin: true` is placed whole or not at all, and on `overflow: error` nothing is "
    "cut anywhere, so every call ends in a BudgetError.",
    instead="Give the pack enough tokens, or shorten its text.",
    bad="""\
kind: context
name: support
policy:
  input_budget: {max_tokens: 100}
  pack_budget: {default_max_tokens: 12}
messages:
  - {type: context, name: style, pin: true}  # <- BC320
  - {type: user, content: "{input.question}"}
---
kind: context
name: style
messages:
  - type: system
    content: Answer in short sentences. Say so when you do not know, and say who does.
""",
    good="""\
kind: context
name: support
policy:
  input_budget: {max_tokens: 100}
  pack_budget: {default_max_tokens: 40}
messages:
  - {type: context, name: style, pin: true}
  - {type: user, content: "{input.question}"}
---
kind: context
name: style
messages:
  - type: system
    content: Answer in short sentences. Say so when you do not know, and say who does.
""",
    check=_check,
)
