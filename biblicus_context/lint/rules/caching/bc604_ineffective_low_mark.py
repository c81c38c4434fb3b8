"""BC604: a `low_mark` that has no effect."""

from __future__ import annotations

from collections.abc import Iterator

from biblicus_context.lint.engine.finding import Severity, Violation
from biblicus_context.lint.engine.rule import Rule
from biblicus_context.lint.facts.budgets.policies import is_inserted
from biblicus_context.lint.facts.messages.prefix import PrefixPart, is_time_name, prefix
from biblicus_context.lint.facts.project.declarations import Declarations
from biblicus_context.lint.facts.project.plan import Plan
from biblicus_context.lint.facts.source.removal import removal
from biblicus_context.lint.facts.templates.texts import Steps, directives_of
from biblicus_context.lint.rules.example_parts import KNOWLEDGE_BASE
from biblicus_context.spec.context import ContextDeclaration
from biblicus_context.spec.directive import HistoryInsertSpec


def _check(plan: Plan, declared: Declarations) -> Iterator[Violation]:
    context = plan.declaration
    if not isinstance(context, ContextDeclaration) or is_inserted(context, declared):
        return
    for path, history in directives_of(context, HistoryInsertSpec):
        if not history.pin and history.low_mark is not None and history.low_mark < 1:
            yield from _violation(plan, declared, context, history, (*path, "low_mark"))


def _violation(
    plan: Plan,
    declared: Declarations,
    context: ContextDeclaration,
    history: HistoryInsertSpec,
    path: Steps,
) -> Iterator[Violation]:
    limits = declared.limits(context)
    if limits is None:
        return
    if limits.overflow == "error":
        yield plan.violation(
            path,
            "'low_mark' has no effect: with overflow: error no turn is dropped",
            advice="Remove it, or set overflow: compact.",
            edits=removal(plan, path),
        )
    elif limits.budget is None and history.budget is None:
        yield plan.violation(
            path,
            "'low_mark' has no effect: no budget is set",
            advice="Set input_budget or model in the policy, or a budget on the history.",
        )
    else:
        changing = next(filter(_is_new_in_each_call, prefix(plan, declared)), None)
        if changing is not None:
            yield plan.violation(
                path,
                "'low_mark' drops turns without helping the cache, because text before the history changes "
                "in every call",
                found=changing.changes,
                advice="Place it after the history, or remove low_mark.",
            )


def _is_new_in_each_call(part: PrefixPart) -> bool:
    """Whether it is evidence or a time; other inputs may stay the same for a whole conversation."""
    return bool(part.changes) and (
        not part.changes.startswith("input.") or is_time_name(part.changes)
    )


RULE = Rule(
    code="BC604",
    name="ineffective-low-mark",
    severity=Severity.WARNING,
    finds=(
        "A history has a `low_mark` that has no effect, or that drops turns without helping the "
        "cache."
    ),
    why=(
        "With `low_mark` more turns are dropped than necessary, so that the next calls begin with "
        "the same text and a provider can cache it. If evidence or the time before the history "
        "changes in each call, nothing is cached and the turns are lost. Without a budget or with "
        "`overflow: error` no turn is dropped at all."
    ),
    instead="Place changing text after the history and set a budget, or remove `low_mark`.",
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
