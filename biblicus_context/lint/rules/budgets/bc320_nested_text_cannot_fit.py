"""BC320: the text of a nested context cannot fit."""

from __future__ import annotations

from collections.abc import Iterator

from biblicus_context.lint.engine.finding import Severity, Violation
from biblicus_context.lint.engine.rule import Rule
from biblicus_context.lint.facts.budgets.nested_shares import oversized_inserts
from biblicus_context.lint.facts.project.declarations import Declarations
from biblicus_context.lint.facts.project.plan import Plan


def _check(plan: Plan, declared: Declarations) -> Iterator[Violation]:
    for found in oversized_inserts(plan, declared):
        yield plan.violation(
            (*found.insert.path, "name"),
            found.problem,
            advice="Raise the budget, shorten the text, or mark system text with shrink: true.",
        )


RULE = Rule(
    code="BC320",
    name="nested-text-cannot-fit",
    severity=Severity.ERROR,
    finds="The text of an inserted context is larger than its budget or than the pack budget.",
    why=(
        "The texts of an inserted context are pinned like those of the outer plan: the engine "
        "shortens them only if they are marked `shrink: true`. So every call ends in a BudgetError. "
        "Placeholders count as empty, and conditions as false."
    ),
    instead=(
        "Give the pack more tokens, shorten its text, or mark text that may be shortened with "
        "`shrink: true`."
    ),
    bad="""\
kind: context
name: support
policy:
  input_budget: {max_tokens: 100}
  pack_budget: {default_max_tokens: 12}
messages:
  - {type: context, name: style}  # <- BC320
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
