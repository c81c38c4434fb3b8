"""BC502: a system text after the conversation begins."""

from __future__ import annotations

from collections.abc import Iterator

from biblicus_context.lint.engine.finding import Severity, Violation
from biblicus_context.lint.engine.rule import Rule
from biblicus_context.lint.facts.messages.placement import CONVERSATION, placed_directives
from biblicus_context.lint.facts.project.declarations import Declarations
from biblicus_context.lint.facts.project.plan import Plan


def _check(plan: Plan, declared: Declarations) -> Iterator[Violation]:
    before = None
    for spot in placed_directives(plan, declared):
        if spot.kind in CONVERSATION and spot.always:
            before = before or spot.kind
        elif spot.kind == "system" and before:
            noun = "the history" if before == "history" else f"{_a(before)} message"
            yield plan.violation(
                spot.path,
                f"the system text is not part of the system prompt, because it comes after {noun}",
                advice="Move it before the conversation.",
            )


def _a(role: str) -> str:
    return f"{'an' if role[0] in 'aeiou' else 'a'} {role}"


RULE = Rule(
    code="BC502",
    name="system-after-conversation",
    severity=Severity.WARNING,
    finds="A system text is placed after a user message, an assistant message or the history.",
    why=(
        "Only system texts at the beginning form the system prompt. A later one is a separate "
        "message, which some providers reject and others move. After an empty history it is part "
        "of the system prompt again, so the first turn differs from the others."
    ),
    instead=(
        "Place all system texts first. Put a reminder for the current turn into the user message."
    ),
    bad="""\
kind: context
name: support
messages:
  - {type: history}
  - {type: system, content: You are a support agent.}  # <- BC502
  - {type: user, content: "{input.question}"}
""",
    good="""\
kind: context
name: support
messages:
  - {type: system, content: You are a support agent.}
  - {type: history}
  - {type: user, content: "{input.question}"}
""",
    check=_check,
)
