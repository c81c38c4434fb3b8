"""BC602: a date or a time in the system prompt."""

from __future__ import annotations

from collections.abc import Iterator

from biblicus_context.lint.engine.finding import Severity, Violation
from biblicus_context.lint.engine.rule import Rule
from biblicus_context.lint.facts.messages.placement import placed_directives
from biblicus_context.lint.facts.messages.prefix import (
    fixed_tokens,
    is_day_name,
    is_time_name,
    prefix,
    violation_at,
)
from biblicus_context.lint.facts.project.declarations import Declarations
from biblicus_context.lint.facts.project.plan import Plan


def _check(plan: Plan, declared: Declarations) -> Iterator[Violation]:
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


RULE = Rule(
    code="BC602",
    name="time-in-system-prompt",
    severity=Severity.WARNING,
    finds=(
        "A date or a time, such as `{input.now}`, is placed before fixed text, or a time of day "
        "before the history."
    ),
    why=(
        "It changes even if nothing else does, so a provider cannot cache the text after it: after "
        "a date for the first call of each day, after a time in every call."
    ),
    instead=(
        "Place the time in the user message. A date can also be the last line of the system prompt."
    ),
    bad="""\
kind: context
name: support
messages:
  - type: system
    content: |-
      It is {input.now}.  <- BC602
      You are a support agent. Answer first and explain after. Use short sentences and no jargon.
      Say so when you do not know, and say who does. Never promise a date of delivery.
  - {type: history}
  - {type: user, content: "{input.question}"}
""",
    good="""\
kind: context
name: support
messages:
  - type: system
    content: |-
      You are a support agent. Answer first and explain after. Use short sentences and no jargon.
      Say so when you do not know, and say who does. Never promise a date of delivery.
  - {type: history}
  - {type: user, content: "It is {input.now}. {input.question}"}
""",
    check=_check,
)
