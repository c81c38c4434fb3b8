"""BC315: an output reserve without a known window."""

from __future__ import annotations

from collections.abc import Iterator

from biblicus_context.lint.engine.finding import Severity, Violation
from biblicus_context.lint.engine.rule import Rule
from biblicus_context.lint.facts.budgets.policies import limits_in, policy_in
from biblicus_context.lint.facts.project.declarations import Declarations
from biblicus_context.lint.facts.project.plan import Plan


def _check(plan: Plan, declared: Declarations) -> Iterator[Violation]:
    policy = policy_in(plan)
    if policy is None or policy.spec.reserve is None:
        return
    limits = limits_in(plan, declared)
    if limits is not None and limits.window is None and limits.reserve:
        yield plan.violation(
            policy.at("reserve"),
            f"{limits.reserve:,} tokens are reserved, but the window of the model is not known",
            advice="Set model or window; the reserve is not subtracted from input_budget.max_tokens.",
        )


RULE = Rule(
    code="BC315",
    name="reserve-without-window",
    severity=Severity.WARNING,
    finds="Tokens are reserved for the answer, but neither a model nor a window is set.",
    why=(
        "The reserve is subtracted from the window of the model, not from `max_tokens`. With only "
        "an input budget, nothing is reserved."
    ),
    instead="Set `model` or `window`, or lower `max_tokens` and remove `reserve`.",
    bad="""\
kind: context
name: support
policy:
  input_budget: {max_tokens: 8000}
  reserve: {output_tokens: 1000}  # <- BC315
messages:
  - {type: history}
  - {type: user, content: "{input.question}"}
""",
    good="""\
kind: context
name: support
policy:
  window: 8000
  reserve: {output_tokens: 1000}
messages:
  - {type: history}
  - {type: user, content: "{input.question}"}
""",
    check=_check,
)
