"""BC310: a part is larger than the whole it is taken from."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from biblicus_context.assembly.limits import Limits
from biblicus_context.lint.engine.finding import Remark, Severity
from biblicus_context.lint.engine.rule import Rule
from biblicus_context.lint.facts.budgets.packs import inserts
from biblicus_context.lint.facts.budgets.policies import WrittenPolicy, limits_in, policy_in
from biblicus_context.lint.facts.templates.texts import Steps, directives
from biblicus_context.spec.context import ContextDeclaration
from biblicus_context.spec.directive import HistoryInsertSpec

if TYPE_CHECKING:
    from biblicus_context.lint.facts.project.declarations import Declared
    from biblicus_context.lint.facts.project.plan import Plan


def _check(plan: Plan, declared: Declared) -> Iterator[Remark]:
    policy = policy_in(plan)
    if policy is not None:
        yield from _ratios_of_policy(plan, policy)
        yield from _tokens_of_policy(plan, policy, limits_in(plan, declared))
    for insert in inserts(plan, declared):
        budget = insert.options.budget
        yield from _ratio(plan, (*insert.path, "budget", "ratio"), budget.ratio if budget else None)
    yield from _of_history(plan, declared)


def _ratios_of_policy(plan: Plan, policy: WrittenPolicy) -> Iterator[Remark]:
    whole, packs = policy.spec.input_budget, policy.spec.pack_budget
    yield from _ratio(plan, policy.at("input_budget", "ratio"), whole.ratio if whole else None)
    yield from _ratio(
        plan, policy.at("pack_budget", "default_ratio"), packs.default_ratio if packs else None
    )


def _tokens_of_policy(plan: Plan, policy: WrittenPolicy, limits: Limits | None) -> Iterator[Remark]:
    whole, packs = policy.spec.input_budget, policy.spec.pack_budget
    if limits is not None and limits.window is not None:
        path = policy.at("input_budget", "max_tokens")
        left = limits.window - limits.reserve
        behind = f"the {left:,} that the model's window leaves beside the reserve"
        yield from _tokens(plan, path, whole.max_tokens if whole else None, left, behind)
    if limits is not None and limits.budget is not None:
        path = policy.at("pack_budget", "default_max_tokens")
        behind = f"the input budget of {limits.budget:,}"
        yield from _tokens(
            plan, path, packs.default_max_tokens if packs else None, limits.budget, behind
        )


def _of_history(plan: Plan, declared: Declared) -> Iterator[Remark]:
    context = plan.declaration
    if not isinstance(context, ContextDeclaration):
        return
    for path, directive, _ in directives(plan.declaration):
        if isinstance(directive, HistoryInsertSpec) and directive.budget is not None:
            yield from _ratio(plan, (*path, "budget", "ratio"), directive.budget.ratio)
            limits = declared.limits(context)
            if limits is not None and limits.budget is not None:
                own = (*path, "budget", "max_tokens")
                behind = f"the input budget of {limits.budget:,}"
                yield from _tokens(plan, own, directive.budget.max_tokens, limits.budget, behind)


def _ratio(plan: Plan, path: Steps, ratio: float | None) -> Iterator[Remark]:
    if ratio is not None and ratio > 1:
        yield plan.remark(
            path,
            f"a ratio of {ratio:g} is more than the whole",
            advice=f"Write {ratio / 100:g} for {ratio:g} %."
            if 2 <= ratio <= 100
            else "A ratio is a number from 0 to 1.",
        )


def _tokens(plan: Plan, path: Steps, tokens: int | None, whole: int, what: str) -> Iterator[Remark]:
    if tokens is not None and tokens > whole:
        problem = f"{tokens:,} tokens are more than {what}, which count instead"
        yield plan.remark(path, problem, advice="Write a smaller number, or raise the whole.")


RULE = Rule(
    code="BC310",
    name="part-above-whole",
    severity=Severity.WARNING,
    finds="A ratio is above 1, or a budget is larger than what it is taken from.",
    why="The smaller number counts, so the larger one does nothing. A ratio above 1 is mostly a "
    "percentage: `ratio: 80` lets a part have all there is.",
    instead="Write a ratio as a number from 0 to 1, and keep the parts smaller than their whole.",
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
