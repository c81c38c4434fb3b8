"""BC311: a history cannot keep to its limits."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from biblicus_context.errors import PlanError
from biblicus_context.lint.engine.finding import Remark, Severity
from biblicus_context.lint.engine.rule import Rule
from biblicus_context.lint.facts.templates.texts import Steps, directives
from biblicus_context.spec.context import ContextDeclaration
from biblicus_context.spec.directive import HistoryInsertSpec

if TYPE_CHECKING:
    from biblicus_context.lint.facts.project.declarations import Declared
    from biblicus_context.lint.facts.project.plan import Plan


def _check(plan: Plan, declared: Declared) -> Iterator[Remark]:
    for path, directive, _ in directives(plan.declaration):
        if not isinstance(directive, HistoryInsertSpec) or directive.pin:
            continue
        keep, most = directive.keep_last, directive.max_turns
        if most is not None and most < keep:
            yield plan.remark(
                (*path, "max_turns"),
                f"'max_turns' is {most}, but 'keep_last' keeps {keep} turns whatever it says",
                advice="Set max_turns to more than keep_last, or lower keep_last.",
            )
        elif most == 0:
            problem = "'max_turns' is 0: the history is never placed"
            yield plan.remark((*path, "max_turns"), problem, advice="Remove this directive.")
        yield from _of_budget(plan, declared, path, directive)


def _of_budget(
    plan: Plan, declared: Declared, path: Steps, history: HistoryInsertSpec
) -> Iterator[Remark]:
    """Even turns of a single token each would be more than the budget."""
    context = plan.declaration
    assert isinstance(context, ContextDeclaration)
    limits = declared.limits(context)
    if limits is None or history.budget is None:
        return
    try:
        budget = limits.part_of_budget(history.budget)
    except PlanError:  # a ratio of nothing, which has a rule of its own
        return
    if budget is not None and budget < history.keep_last * (limits.framing.per_message + 1):
        yield plan.remark(
            (*path, "keep_last"),
            f"'keep_last' keeps {history.keep_last} turns, and a budget of {budget} tokens "
            "cannot hold as many",
            advice="Keep fewer turns, or raise the budget of the history.",
        )


RULE = Rule(
    code="BC311",
    name="history-limits-contradict",
    severity=Severity.WARNING,
    finds="`keep_last` asks for more turns than `max_turns` or the history's budget allow, or "
    "`max_turns` allows none.",
    why="`keep_last` wins: these turns are placed whatever else the directive says, so the other "
    "limit does nothing. With `max_turns: 0` the conversation is never placed at all.",
    instead="Let `max_turns` and the budget be larger than what `keep_last` keeps.",
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
