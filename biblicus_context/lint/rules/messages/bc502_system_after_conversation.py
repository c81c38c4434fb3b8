"""BC502: a system text stands in the middle of the conversation."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from biblicus_context.lint.engine.finding import Remark, Severity
from biblicus_context.lint.engine.rule import Rule
from biblicus_context.lint.facts.messages.placement import CONVERSATION, spots

if TYPE_CHECKING:
    from biblicus_context.lint.facts.project.declarations import Declared
    from biblicus_context.lint.facts.project.plan import Plan


def _check(plan: Plan, declared: Declared) -> Iterator[Remark]:
    before = None
    for spot in spots(plan, declared):
        if spot.kind in CONVERSATION and spot.always:
            before = before or spot.kind
        elif spot.kind == "system" and before:
            noun = "the history" if before == "history" else f"{_a(before)} message"
            yield plan.remark(
                spot.path,
                f"this system text stands behind {noun}, so it is no part of the system prompt",
                advice="Move it in front of the conversation.",
            )


def _a(role: str) -> str:
    return f"{'an' if role[0] in 'aeiou' else 'a'} {role}"


RULE = Rule(
    code="BC502",
    name="system-after-conversation",
    severity=Severity.WARNING,
    finds="A system text is placed behind a user or assistant message, or behind the history.",
    why="Only leading system texts make up the system prompt. A later one is a message of its own "
    "in the conversation, which some providers refuse and others move. Behind an empty history it "
    "is a part of the system prompt again, so the first turn looks different from all others.",
    instead="Place all system texts first. A reminder for this turn belongs into the user message.",
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
