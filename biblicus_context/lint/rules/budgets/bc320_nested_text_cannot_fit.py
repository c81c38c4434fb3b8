"""BC320: the text of a nested context neither fits nor may be cut."""

from __future__ import annotations

from collections.abc import Iterator

from biblicus_context.lint.engine.finding import Severity, Violation
from biblicus_context.lint.engine.rule import Rule
from biblicus_context.lint.facts.budgets.nested_shares import oversized_inserts
from biblicus_context.lint.facts.project.declarations import Declarations
from biblicus_context.lint.facts.project.plan import Plan


def _check(plan: Plan, declared: Declarations) -> Iterator[Violation]:
    for found in oversized_inserts(plan, declared):
        if found.is_refused:
            reason = "the pack is pinned" if found.insert.options.pin else "of overflow: error"
            yield plan.violation(
                (*found.insert.path, "name"),
                f"{found.figures}, and it must not be cut because {reason}",
                advice="Raise its budget or weight, or shorten its text.",
            )


RULE = Rule(
    code="BC320",
    name="nested-text-cannot-fit",
    severity=Severity.ERROR,
    finds="The text of an inserted context is larger than its share and must not be cut.",
    why=(
        "A pack with `pin: true` is placed whole, and with `overflow: error` nothing is cut, so "
        "every call ends in a BudgetError."
    ),
    instead="Give the pack more tokens, or shorten its text.",
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
