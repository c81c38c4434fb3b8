"""BC604: a history has a low mark, and nothing comes of it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from biblicus_context.lint.engine.finding import Remark, Severity
from biblicus_context.lint.engine.rule import Rule
from biblicus_context.lint.facts.budgets.policies import is_inserted
from biblicus_context.lint.facts.messages.prefix import Part, prefix, tells_the_time
from biblicus_context.lint.facts.source.removal import removal
from biblicus_context.lint.facts.templates.texts import Steps, directives
from biblicus_context.lint.rules.example_parts import KNOWLEDGE_BASE
from biblicus_context.spec.context import ContextDeclaration
from biblicus_context.spec.directive import HistoryInsertSpec

if TYPE_CHECKING:
    from biblicus_context.lint.facts.project.declarations import Declared
    from biblicus_context.lint.facts.project.plan import Plan


def _check(plan: Plan, declared: Declared) -> Iterator[Remark]:
    context = plan.declaration
    if not isinstance(context, ContextDeclaration) or is_inserted(context, declared):
        return
    for path, directive, _ in directives(context):
        if not isinstance(directive, HistoryInsertSpec) or directive.pin:
            continue
        if directive.low_mark is not None and directive.low_mark < 1:
            yield from _remark(plan, declared, context, directive, (*path, "low_mark"))


def _remark(
    plan: Plan,
    declared: Declared,
    context: ContextDeclaration,
    directive: HistoryInsertSpec,
    path: Steps,
) -> Iterator[Remark]:
    limits = declared.limits(context)
    if limits is None:
        return
    if limits.overflow == "error":
        yield plan.remark(
            path,
            "the mark is never reached: with overflow: error no turn is dropped",
            advice="Remove it, or set overflow: compact.",
            edits=removal(plan, path),
        )
    elif limits.budget is None and directive.budget is None:
        yield plan.remark(
            path,
            "the mark is a part of nothing: neither the plan nor the history has a budget",
            advice="Give the policy an input_budget or a model, or the history a budget.",
        )
    else:
        changing = next(filter(_is_new_in_each_call, prefix(plan, declared)), None)
        if changing is not None:
            yield plan.remark(
                path,
                "turns are dropped before they have to be, and no cache holds the others: what "
                "stands in front of them changes from call to call",
                found=changing.changes,
                advice="Place it behind the history, or remove low_mark.",
            )


def _is_new_in_each_call(part: Part) -> bool:
    """Evidence and the time; other inputs may well be the same for a whole conversation."""
    return bool(part.changes) and (
        not part.changes.startswith("input.") or tells_the_time(part.changes)
    )


RULE = Rule(
    code="BC604",
    name="mark-without-effect",
    severity=Severity.WARNING,
    finds="A history has a `low_mark`, and what it is for cannot come of it.",
    why="With `low_mark` more turns go than have to, so that the next calls begin alike and a "
    "provider's cache holds the rest. That costs turns for nothing where evidence or the time in "
    "front of the history changes with each call, and it never happens without a budget or on "
    "`overflow: error`.",
    instead="Place what changes behind the history, and give the plan a budget; or remove the mark.",
    bad="""\
kind: context
name: support
policy: {input_budget: {max_tokens: 8000}}
messages:
  - {type: system, content: You are a support agent.}
  - {type: context, name: kb, format: {fence: true}}
  - type: history
    low_mark: 0.75  # <- BC604
  - {type: user, content: "{input.question}"}
"""
    + KNOWLEDGE_BASE,
    good="""\
kind: context
name: support
policy: {input_budget: {max_tokens: 8000}}
messages:
  - {type: system, content: You are a support agent.}
  - type: history
    low_mark: 0.75
  - {type: context, name: kb, format: {fence: true}}
  - {type: user, content: "{input.question}"}
"""
    + KNOWLEDGE_BASE,
    check=_check,
)
