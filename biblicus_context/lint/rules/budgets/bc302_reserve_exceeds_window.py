"""BC302: the output reserve uses the whole window."""

from __future__ import annotations

from collections.abc import Iterator

from biblicus_context.errors import BudgetError
from biblicus_context.lint.engine.finding import Severity, Violation
from biblicus_context.lint.engine.rule import Rule
from biblicus_context.lint.facts.budgets.policies import limits_in, policy_error, policy_in
from biblicus_context.lint.facts.project.declarations import Declarations
from biblicus_context.lint.facts.project.plan import Plan


def _check(plan: Plan, declared: Declarations) -> Iterator[Violation]:
    policy = policy_in(plan)
    if policy is None or policy.spec.reserve is None or limits_in(plan, declared) is not None:
        return
    error = policy_error(policy.spec, declared)
    if isinstance(error, BudgetError):
        reserved = policy.spec.reserve.output_tokens
        yield plan.violation(
            policy.at("reserve", "output_tokens"),
            f"the reserve of {reserved:,} tokens uses the whole window of {error.budget:,} tokens, "
            "so nothing is left for the input",
            advice="Reserve fewer tokens, or use a model with a larger window.",
        )


RULE = Rule(
    code="BC302",
    name="reserve-exceeds-window",
    severity=Severity.ERROR,
    finds="The tokens reserved for the answer use the whole window of the model.",
    why=(
        "The reserve is subtracted from the window first. No tokens are left for the input, so "
        "every call ends in a BudgetError."
    ),
    instead="Reserve only as many tokens as the longest answer needs.",
    bad="""\
kind: context
name: support
policy:
  window: 8000
  reserve:
    output_tokens: 8000  # <- BC302
messages:
  - {type: user, content: "{input.question}"}
""",
    good="""\
kind: context
name: support
policy:
  window: 8000
  reserve:
    output_tokens: 1000
messages:
  - {type: user, content: "{input.question}"}
""",
    check=_check,
)
