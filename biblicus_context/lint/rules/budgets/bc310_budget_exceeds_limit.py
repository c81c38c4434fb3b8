"""BC310: a budget that is larger than the amount it is taken from."""

from __future__ import annotations

from collections.abc import Iterator

from biblicus_context.assembly.limits import Limits
from biblicus_context.lint.engine.finding import Severity, Violation
from biblicus_context.lint.engine.rule import Rule
from biblicus_context.lint.facts.budgets.packs import inserts
from biblicus_context.lint.facts.budgets.policies import WrittenPolicy, limits_in, policy_in
from biblicus_context.lint.facts.project.declarations import Declarations
from biblicus_context.lint.facts.project.plan import Plan
from biblicus_context.lint.facts.templates.texts import Steps, directives_of
from biblicus_context.spec.context import ContextDeclaration
from biblicus_context.spec.directive import HistoryInsertSpec


def _check(plan: Plan, declared: Declarations) -> Iterator[Violation]:
    policy = policy_in(plan)
    if policy is not None:
        yield from _ratios_of_policy(plan, policy)
        yield from _tokens_of_policy(plan, policy, limits_in(plan, declared))
    for insert in inserts(plan, declared):
        budget = insert.options.budget
        yield from _ratio(plan, (*insert.path, "budget", "ratio"), budget.ratio if budget else None)
    yield from _of_history(plan, declared)


def _ratios_of_policy(plan: Plan, policy: WrittenPolicy) -> Iterator[Violation]:
    whole, packs = policy.spec.input_budget, policy.spec.pack_budget
    yield from _ratio(plan, policy.at("input_budget", "ratio"), whole.ratio if whole else None)
    yield from _ratio(
        plan, policy.at("pack_budget", "default_ratio"), packs.default_ratio if packs else None
    )


def _tokens_of_policy(
    plan: Plan, policy: WrittenPolicy, limits: Limits | None
) -> Iterator[Violation]:
    whole, packs = policy.spec.input_budget, policy.spec.pack_budget
    if limits is not None and limits.window is not None:
        path = policy.at("input_budget", "max_tokens")
        left = limits.window - limits.reserve
        limit = f"the {left:,} tokens that the window leaves after the reserve"
        yield from _tokens(plan, path, whole.max_tokens if whole else None, left, limit)
    if limits is not None and limits.budget is not None:
        path = policy.at("pack_budget", "default_max_tokens")
        limit = f"the input budget of {limits.budget:,} tokens"
        yield from _tokens(
            plan, path, packs.default_max_tokens if packs else None, limits.budget, limit
        )


def _of_history(plan: Plan, declared: Declarations) -> Iterator[Violation]:
    context = plan.declaration
    if not isinstance(context, ContextDeclaration):
        return
    for path, history in directives_of(plan.declaration, HistoryInsertSpec):
        if history.budget is not None:
            yield from _ratio(plan, (*path, "budget", "ratio"), history.budget.ratio)
            limits = declared.limits(context)
            if limits is not None and limits.budget is not None:
                own = (*path, "budget", "max_tokens")
                limit = f"the input budget of {limits.budget:,} tokens"
                yield from _tokens(plan, own, history.budget.max_tokens, limits.budget, limit)


def _ratio(plan: Plan, path: Steps, ratio: float | None) -> Iterator[Violation]:
    if ratio is not None and ratio > 1:
        yield plan.violation(
            path,
            f"the ratio {ratio:g} is greater than 1",
            advice=f"Write {ratio / 100:g} for {ratio:g} %."
            if 2 <= ratio <= 100
            else "Write a number from 0 to 1.",
        )


def _tokens(
    plan: Plan, path: Steps, tokens: int | None, whole: int, limit: str
) -> Iterator[Violation]:
    if tokens is not None and tokens > whole:
        problem = f"{tokens:,} tokens exceed {limit}"
        yield plan.violation(path, problem, advice="Lower this number: the smaller one applies.")


RULE = Rule(
    code="BC310",
    name="budget-exceeds-limit",
    severity=Severity.WARNING,
    finds="A ratio is greater than 1, or a budget is larger than the amount it is taken from.",
    why=(
        "The smaller number applies, so the larger one has no effect. A ratio greater than 1 is "
        "usually a percentage: `ratio: 80` allows a part to use everything."
    ),
    instead=(
        "Write ratios as numbers from 0 to 1, and keep budgets below the amount they are taken "
        "from."
    ),
    bad="""\
kind: context
name: support
policy:
  model: gpt-4o
  input_budget:
    ratio: 80  # <- BC310
messages:
  - type: history
    budget:
      max_tokens: 200000  # <- BC310
  - {type: user, content: "{input.question}"}
""",
    good="""\
kind: context
name: support
policy:
  model: gpt-4o
  input_budget:
    ratio: 0.8
messages:
  - type: history
    budget:
      max_tokens: 20000
  - {type: user, content: "{input.question}"}
""",
    check=_check,
)
