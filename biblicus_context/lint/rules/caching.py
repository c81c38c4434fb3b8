"""Caching: what a provider can reuse from one call to the next."""

from __future__ import annotations

from biblicus_context.formats.cache_marks import MOST_MARKS
from biblicus_context.lint.engine.finding import Severity, Violations
from biblicus_context.lint.engine.rule import rule
from biblicus_context.lint.facts.budgets.policies import is_inserted
from biblicus_context.lint.facts.messages.placement import placed_directives
from biblicus_context.lint.facts.messages.prefix import (
    PrefixPart,
    fixed_tokens,
    is_day_name,
    is_time_name,
    prefix,
    violation_at,
)
from biblicus_context.lint.facts.project.declarations import Declarations
from biblicus_context.lint.facts.project.plan import Plan
from biblicus_context.lint.facts.source.removal import without_effect
from biblicus_context.lint.facts.templates.texts import Steps, directives_of
from biblicus_context.spec.directive import HistoryInsertSpec


@rule("BC601", "volatile-before-stable", Severity.WARNING)
def volatile_before_stable(plan: Plan, declared: Declarations) -> Violations:
    parts = prefix(plan, declared)
    at = next((number for number, part in enumerate(parts) if _is_volatile(part)), None)
    if at is None:
        return
    lost = fixed_tokens(plan, declared, parts[at:])
    if lost:
        yield violation_at(
            plan,
            parts[at],
            f"the value changes from call to call, so the {lost:,} tokens of fixed text after it "
            "cannot be cached",
            advice="Place it after the fixed text, or in the user message. Give an input that "
            "rarely changes a default: then it counts as fixed.",
        )


def _is_volatile(part: PrefixPart) -> bool:
    """Whether a part changes between calls; BC602 reports dates and times."""
    name = part.changes
    return bool(name) and not (is_time_name(name) or is_day_name(name))


@rule("BC602", "time-in-system-prompt", Severity.WARNING)
def time_in_system_prompt(plan: Plan, declared: Declarations) -> Violations:
    parts = prefix(plan, declared)
    has_history = any(spot.kind == "history" for spot in placed_directives(plan, declared))
    for number, part in enumerate(parts):
        is_time = is_time_name(part.changes)
        if not part.changes or not (is_time or is_day_name(part.changes)):
            continue
        lost = fixed_tokens(plan, declared, parts[number:])
        if not lost and not (is_time and has_history):
            continue
        affected = f"the {lost:,} tokens of fixed text" if lost else "the history"
        yield violation_at(
            plan,
            part,
            f"the value changes with time, so {affected} after it cannot be cached",
            advice="Place the time in the user message. A date can also be the last line of the "
            "system prompt.",
        )
        return


@rule("BC603", "too-many-cache-marks", Severity.WARNING)
def too_many_cache_marks(plan: Plan, _: Declarations) -> Violations:
    messages = plan.context.messages if plan.context else None
    marked = [at for at, directive in enumerate(messages or ()) if directive.cache]
    for at in marked[MOST_MARKS:]:
        yield plan.violation(
            ("messages", at, "cache"),
            f"the Anthropic API accepts at most {MOST_MARKS} cache marks",
            advice="Keep the marks after the longest parts that stay the same.",
        )


@rule("BC604", "ineffective-low-mark", Severity.WARNING)
def ineffective_low_mark(plan: Plan, declared: Declarations) -> Violations:
    context = plan.context
    limits = declared.limits(context) if context else None
    if context is None or limits is None or is_inserted(context, declared):
        return
    for path, history in directives_of(context, HistoryInsertSpec):
        key = (*path, "low_mark")
        if history.pin or history.low_mark is None or history.low_mark == 1:
            continue
        if limits.overflow == "error":
            because = "with overflow: error no turn is dropped"
            yield without_effect(plan, key, because, "Remove it, or set overflow: compact.")
        elif limits.budget is None and history.budget is None:
            advice = "Set input_budget or model in the policy, or a budget on the history."
            yield without_effect(plan, key, "no budget is set", advice, is_removed=False)
        else:
            yield from _unhelpful_low_mark(plan, declared, key)


def _unhelpful_low_mark(plan: Plan, declared: Declarations, key: Steps) -> Violations:
    changing = next(filter(_is_new_in_each_call, prefix(plan, declared)), None)
    if changing is not None:
        yield plan.violation(
            key,
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
