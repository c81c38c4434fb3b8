"""BC318: the budget of a nested context is larger than what it can get."""

from __future__ import annotations

from collections.abc import Iterator

from biblicus_context.lint.engine.finding import Severity, Violation
from biblicus_context.lint.engine.rule import Rule
from biblicus_context.lint.facts.budgets.pack_shares import pack_shares
from biblicus_context.lint.facts.project.declarations import Declarations
from biblicus_context.lint.facts.project.plan import Plan


def _check(plan: Plan, declared: Declarations) -> Iterator[Violation]:
    for share in pack_shares(plan, declared):
        nested = share.insert.nested
        policy = declared.policy(nested) if nested and share.most else None
        budget = policy.input_budget.max_tokens if policy and policy.input_budget else None
        if budget is not None and share.most is not None and budget > share.most:
            yield plan.violation(
                (*share.insert.path, "name"),
                f"context '{share.insert.name}' has an input budget of {budget:,} tokens, "
                f"but it can get at most {share.most:,} here",
                advice="Raise the budget of the pack or pack_budget.",
            )


RULE = Rule(
    code="BC318",
    name="nested-budget-over-share",
    severity=Severity.NOTE,
    finds="An inserted context has an input budget that is larger than what its pack can get.",
    why=(
        "The smaller number applies. The context gets fewer tokens here than it was written for, "
        "so more of its evidence is dropped than when it is called directly."
    ),
    instead="Give the pack more tokens, or lower the budget of the nested context.",
    bad="""\
kind: context
name: support
policy:
  input_budget: {max_tokens: 4000}
  pack_budget: {default_max_tokens: 1000}
messages:
  - {type: context, name: product}  # <- BC318
  - {type: user, content: "{input.question}"}
---
kind: context
name: product
policy: {input_budget: {max_tokens: 3000}}
messages:
  - {type: system, content: What we sell.}
""",
    good="""\
kind: context
name: support
policy:
  input_budget: {max_tokens: 4000}
  pack_budget: {default_max_tokens: 3000}
messages:
  - {type: context, name: product}
  - {type: user, content: "{input.question}"}
---
kind: context
name: product
policy: {input_budget: {max_tokens: 3000}}
messages:
  - {type: system, content: What we sell.}
""",
    check=_check,
)
