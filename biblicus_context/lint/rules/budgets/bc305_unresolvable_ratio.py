"""BC305: a ratio of an unknown amount."""

from __future__ import annotations

from collections.abc import Iterator

from biblicus_context.errors import PlanError, UnknownNameError
from biblicus_context.lint.engine.finding import Severity, Violation
from biblicus_context.lint.engine.rule import Rule
from biblicus_context.lint.facts.budgets.packs import inserts
from biblicus_context.lint.facts.budgets.policies import (
    is_called,
    is_inserted,
    limits_in,
    policy_error,
    policy_in,
)
from biblicus_context.lint.facts.project.declarations import Declarations
from biblicus_context.lint.facts.project.plan import Plan
from biblicus_context.lint.facts.templates.texts import Steps, directives_of
from biblicus_context.spec.budget import ContextBudgetSpec
from biblicus_context.spec.context import ContextDeclaration
from biblicus_context.spec.directive import HistoryInsertSpec


def _check(plan: Plan, declared: Declarations) -> Iterator[Violation]:
    yield from _of_policy(plan, declared)
    context = plan.declaration
    if not isinstance(context, ContextDeclaration) or is_inserted(context, declared):
        return
    limits = declared.limits(context)
    if limits is None or limits.budget is not None:
        return
    for path, budget in _own_budgets(plan, declared):
        if budget.ratio is not None and budget.max_tokens is None:
            yield plan.violation(
                (*path, "budget", "ratio"),
                "the ratio refers to the input budget, but none is set",
                advice="Set input_budget or model in the policy, or write max_tokens here.",
            )


def _of_policy(plan: Plan, declared: Declarations) -> Iterator[Violation]:
    policy = policy_in(plan)
    if policy is None or limits_in(plan, declared) is not None or not is_called(plan, declared):
        return
    error = policy_error(policy.spec, declared)
    if not isinstance(error, PlanError) or isinstance(error, UnknownNameError):
        return
    for key in ("input_budget.ratio", "pack_budget.default_ratio"):
        if error.problem.startswith(key):
            yield plan.violation(policy.at(*key.split(".")), error.problem, advice=error.fix)


def _own_budgets(plan: Plan, declared: Declarations) -> Iterator[tuple[Steps, ContextBudgetSpec]]:
    for insert in inserts(plan, declared):
        if insert.options.budget:
            yield insert.path, insert.options.budget
    for path, history in directives_of(plan.declaration, HistoryInsertSpec):
        if history.budget:
            yield path, history.budget


RULE = Rule(
    code="BC305",
    name="unresolvable-ratio",
    severity=Severity.ERROR,
    finds="A budget is a ratio, but the amount it refers to is not known.",
    why=(
        "`input_budget.ratio` is a ratio of the model's window; all other ratios are ratios of the "
        "input budget. Without this amount the call fails."
    ),
    instead="Name a model or a `window`, set `input_budget`, or write the budget as `max_tokens`.",
    bad="""\
kind: context
name: support
policy:
  input_budget:
    ratio: 0.5  # <- BC305
messages:
  - {type: history}
  - {type: user, content: "{input.question}"}
""",
    good="""\
kind: context
name: support
policy:
  model: gpt-4o
  input_budget:
    ratio: 0.5
messages:
  - {type: history}
  - {type: user, content: "{input.question}"}
""",
    check=_check,
)
