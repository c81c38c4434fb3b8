"""BC316: a pack budget in a context without packs."""

from __future__ import annotations

from collections.abc import Iterator

from biblicus_context.lint.engine.finding import Severity, Violation
from biblicus_context.lint.engine.rule import Rule
from biblicus_context.lint.facts.budgets.packs import inserts
from biblicus_context.lint.facts.budgets.policies import policy_in
from biblicus_context.lint.facts.project.declarations import Declarations
from biblicus_context.lint.facts.project.plan import Plan


def _check(plan: Plan, declared: Declarations) -> Iterator[Violation]:
    policy = policy_in(plan)
    if plan.kind != "context" or policy is None or policy.spec.pack_budget is None:
        return
    if not inserts(plan, declared):
        yield plan.violation(
            policy.at("pack_budget"),
            "'pack_budget' has no effect: this context inserts no pack",
            advice="Remove it, or insert a pack: {type: context, name: ...}.",
        )


RULE = Rule(
    code="BC316",
    name="pack-budget-without-packs",
    severity=Severity.WARNING,
    finds="A context has a pack budget, but inserts neither a retriever nor another context.",
    why="The pack budget limits packs only, not the history or the texts.",
    instead="Remove `pack_budget`, or limit the history with its own `budget`.",
    bad="""\
kind: context
name: support
policy:
  input_budget: {max_tokens: 8000}
  pack_budget: {default_ratio: 0.5}  # <- BC316
messages:
  - {type: history}
  - {type: user, content: "{input.question}"}
""",
    good="""\
kind: context
name: support
policy:
  input_budget: {max_tokens: 8000}
messages:
  - {type: history, budget: {ratio: 0.5}}
  - {type: user, content: "{input.question}"}
""",
    check=_check,
)
