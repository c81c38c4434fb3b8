"""BC601: changing text before fixed text."""

from __future__ import annotations

from collections.abc import Iterator

from biblicus_context.lint.engine.finding import Severity, Violation
from biblicus_context.lint.engine.rule import Rule
from biblicus_context.lint.facts.messages.prefix import (
    LEAST_WORTH,
    PrefixPart,
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


RULE = Rule(
    code="BC601",
    name="volatile-before-stable",
    severity=Severity.WARNING,
    finds=(
        f"An input or a pack is placed before at least {LEAST_WORTH} tokens of text that is the "
        "same in every call."
    ),
    why=(
        "Providers cache a request up to the first token that differs from an earlier request. "
        "Fixed text after it is processed and billed again in every call. Inputs with a default "
        "count as fixed, and conditional directives are ignored."
    ),
    instead=(
        "Order the plan from fixed to changing: instructions, examples, settings, packs, history, "
        "question."
    ),
    bad="""\
kind: context
name: support
messages:
  - {type: system, content: "The customer is {input.customer}."}  # <- BC601
  - type: system
    content: |-
      You are a support agent. Answer first and explain after. Use short sentences and no jargon.
      Say so when you do not know, and say who does. Never promise a date of delivery.
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
  - {type: system, content: "The customer is {input.customer}."}
  - {type: user, content: "{input.question}"}
""",
    check=_check,
)
