"""BC317: the text of a nested context is cut in every call."""

from __future__ import annotations

from collections.abc import Iterator

from biblicus_context.lint.engine.finding import Severity, Violation
from biblicus_context.lint.engine.rule import Rule
from biblicus_context.lint.facts.budgets.nested_shares import oversized_inserts
from biblicus_context.lint.facts.project.declarations import Declarations
from biblicus_context.lint.facts.project.plan import Plan


def _check(plan: Plan, declared: Declarations) -> Iterator[Violation]:
    for found in oversized_inserts(plan, declared):
        if not found.is_refused:
            yield plan.violation(
                (*found.insert.path, "name"),
                f"{found.figures}, so it is cut in every call",
                advice="Raise its budget or weight, or shorten its text.",
            )


RULE = Rule(
    code="BC317",
    name="nested-text-over-share",
    severity=Severity.WARNING,
    finds=(
        "The text of an inserted context is larger than its share, so the end of it is always cut."
    ),
    why=(
        "An inserted context is a pack and must fit into its share of the pack budget. When no "
        "evidence is left to drop, its instructions are cut, and the model does not see the end of "
        "them."
    ),
    instead="Give the pack more tokens, or set `pin: true` on it to get an error instead.",
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
