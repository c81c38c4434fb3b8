"""BC309: a compactor that is never used."""

from __future__ import annotations

from collections.abc import Iterator

from biblicus_context.lint.engine.finding import Severity, Violation
from biblicus_context.lint.engine.rule import Rule
from biblicus_context.lint.facts.budgets.policies import (
    WrittenPolicy,
    is_inserted,
    is_overridden_below,
    obeying,
    policy_in,
)
from biblicus_context.lint.facts.budgets.policy_effects import lacks_shares, shrinks_nothing
from biblicus_context.lint.facts.project.declarations import Declarations
from biblicus_context.lint.facts.project.plan import Plan
from biblicus_context.lint.facts.source.removal import removal
from biblicus_context.lint.facts.templates.texts import directives_of
from biblicus_context.spec.context import ContextDeclaration
from biblicus_context.spec.directive import HistoryInsertSpec


def _check(plan: Plan, declared: Declarations) -> Iterator[Violation]:
    policy = policy_in(plan)
    if policy is not None and policy.spec.compactor is not None:
        yield from _of_policy(policy, plan, declared)
    yield from _of_history(plan, declared)


def _of_policy(policy: WrittenPolicy, plan: Plan, declared: Declarations) -> Iterator[Violation]:
    path, overflow = policy.at("compactor"), policy.spec.overflow
    if overflow in ("error", "none"):
        if not any(is_overridden_below(each, declared) for each in obeying(plan, declared)):
            yield plan.violation(
                path,
                f"the compactor is never used: with overflow: {overflow} nothing is shortened",
                advice="Remove it, or set overflow: compact.",
                edits=removal(plan, path),
            )
        return
    context = plan.declaration
    if not isinstance(context, ContextDeclaration) or is_inserted(context, declared):
        return
    if shrinks_nothing(context, declared):
        yield plan.violation(
            path,
            "the compactor is never used: the plan has no packs and no texts with shrink: true",
            advice="Remove it. Turns of the history are dropped whole; to summarize them, set "
            "a compactor on the history.",
        )
    elif _has_no_budget(plan, declared):
        problem = "the compactor is never used: no budget is set"
        yield plan.violation(path, problem, advice="Set input_budget or pack_budget.")


def _has_no_budget(plan: Plan, declared: Declarations) -> bool:
    """Whether neither the context nor any of its packs has a budget."""
    context = plan.declaration
    assert isinstance(context, ContextDeclaration)
    limits = declared.limits(context)
    return limits is not None and limits.budget is None and lacks_shares(plan, declared)


def _of_history(plan: Plan, declared: Declarations) -> Iterator[Violation]:
    context = plan.declaration
    if not isinstance(context, ContextDeclaration):
        return
    for path, history in directives_of(plan.declaration, HistoryInsertSpec):
        if history.compactor is None:
            continue
        limits = declared.limits(context)
        if limits is None or history.pin:
            return
        if limits.overflow != "compact":
            reason = f"with overflow: {limits.overflow} no turn is dropped"
        elif limits.budget is None:
            reason = "without an input budget no turn is dropped"
        else:
            return
        problem = f"the compactor of the history is never used: {reason}"
        yield plan.violation(
            (*path, "compactor"), problem, advice="Remove it, or change the policy."
        )


RULE = Rule(
    code="BC309",
    name="unreachable-compactor",
    severity=Severity.WARNING,
    finds="A compactor is set, but it is never used.",
    why=(
        "With `overflow: compact` a compactor shortens packs and `shrink: true` texts that exceed "
        "a budget or a share, and the compactor of a history summarizes dropped turns. Here "
        "neither can happen."
    ),
    instead="Set `overflow: compact` and a budget, or remove the compactor.",
    bad="""\
kind: policy
name: strict
input_budget: {max_tokens: 4000}
overflow: error
compactor: extractive  # <- BC309
---
kind: context
name: support
policy: strict
messages:
  - {type: history}
  - {type: user, content: "{input.question}"}
""",
    good="""\
kind: policy
name: strict
input_budget: {max_tokens: 4000}
overflow: error
---
kind: context
name: support
policy: strict
messages:
  - {type: history}
  - {type: user, content: "{input.question}"}
""",
    check=_check,
)
