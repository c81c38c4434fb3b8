"""BC311: history limits that contradict each other."""

from __future__ import annotations

from collections.abc import Iterator

from biblicus_context.errors import PlanError
from biblicus_context.lint.engine.finding import Severity, Violation
from biblicus_context.lint.engine.rule import Rule
from biblicus_context.lint.facts.project.declarations import Declarations
from biblicus_context.lint.facts.project.plan import Plan
from biblicus_context.lint.facts.templates.texts import Steps, directives_of
from biblicus_context.spec.context import ContextDeclaration
from biblicus_context.spec.directive import HistoryInsertSpec


def _check(plan: Plan, declared: Declarations) -> Iterator[Violation]:
    for path, history in directives_of(plan.declaration, HistoryInsertSpec):
        if history.pin:
            continue
        keep, most = history.keep_last, history.max_turns
        if most is not None and most < keep:
            yield plan.violation(
                (*path, "max_turns"),
                f"'max_turns' is {most}, but 'keep_last' always keeps {keep} turns",
                advice="Set max_turns to at least keep_last, or lower keep_last.",
            )
        elif most == 0:
            problem = "'max_turns' is 0, so the history is never placed"
            yield plan.violation((*path, "max_turns"), problem, advice="Remove this directive.")
        yield from _of_budget(plan, declared, path, history)


def _of_budget(
    plan: Plan, declared: Declarations, path: Steps, history: HistoryInsertSpec
) -> Iterator[Violation]:
    """Reports a budget that even turns of one token each would exceed."""
    context = plan.declaration
    assert isinstance(context, ContextDeclaration)
    limits = declared.limits(context)
    if limits is None or history.budget is None:
        return
    try:
        budget = limits.part_of_budget(history.budget)
    except PlanError:  # BC305 reports a ratio that cannot be resolved
        return
    if budget is not None and budget < history.keep_last * (limits.framing.per_message + 1):
        yield plan.violation(
            (*path, "keep_last"),
            f"'keep_last' keeps {history.keep_last} turns, which never fit into the budget of "
            f"{budget} tokens",
            advice="Lower keep_last, or raise the budget of the history.",
        )


RULE = Rule(
    code="BC311",
    name="contradictory-history-limits",
    severity=Severity.WARNING,
    finds=(
        "`keep_last` requires more turns than `max_turns` or the budget of the history allows, or "
        "`max_turns` is 0."
    ),
    why=(
        "`keep_last` wins: its turns are always placed, so the other limit has no effect. With "
        "`max_turns: 0` the conversation is never placed."
    ),
    instead="Make `max_turns` and the budget larger than what `keep_last` requires.",
    bad="""\
kind: context
name: support
policy: {input_budget: {max_tokens: 4000}}
messages:
  - type: history
    keep_last: 5
    max_turns: 3  # <- BC311
  - {type: user, content: "{input.question}"}
""",
    good="""\
kind: context
name: support
policy: {input_budget: {max_tokens: 4000}}
messages:
  - type: history
    keep_last: 3
    max_turns: 20
  - {type: user, content: "{input.question}"}
""",
    check=_check,
)
