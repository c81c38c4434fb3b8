"""BC317: instructions of a nested context are cut in every call."""

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
        if not found.is_refused:
            yield plan.remark(
                (*found.insert.path, "name"),
                f"the text of context '{found.insert.name}' has {found.tokens:,} tokens and may "
                f"have {found.room:,} here: it is cut in every call",
                advice="Give it a larger budget or weight, or shorten its text.",
            )


RULE = Rule(
    code="BC317",
    name="nested-text-over-share",
    severity=Severity.WARNING,
    finds="The text of an inserted context is larger than its share, so a part of it is cut off.",
    why="A context that is inserted is a pack and has to keep to a share of the pack budget. What "
    "its author wrote is cut, as soon as no evidence is left to drop, and the model never sees the "
    "end of the instructions.",
    instead="Give the pack enough tokens, or set `pin: true` on it to get an error instead.",
    bad="""\
kind: context
name: support
policy:
  input_budget: {max_tokens: 100}
  pack_budget: {default_max_tokens: 12}
messages:
  - {type: context, name: style}  # <- BC317
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
  - {type: context, name: style}
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
