"""BC508: user and assistant do not take turns."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from biblicus_context.lint.engine.finding import Remark, Severity
from biblicus_context.lint.engine.rule import Rule
from biblicus_context.lint.facts.messages.placement import CONVERSATION, spots

if TYPE_CHECKING:
    from biblicus_context.lint.facts.project.declarations import Declared
    from biblicus_context.lint.facts.project.plan import Plan

_NOTHING_YET = "nothing yet"
_ANYBODY = "anybody"


def _check(plan: Plan, declared: Declared) -> Iterator[Remark]:
    before = _NOTHING_YET
    for spot in spots(plan, declared):
        if spot.kind not in CONVERSATION:
            continue
        if not spot.always or spot.kind == "history":
            before = _ANYBODY
            continue
        if spot.kind == before:
            problem = f"two {spot.kind} messages in a row"
            yield plan.remark(spot.path, problem, advice="Join them, or place an answer between.")
        elif spot.kind == "assistant" and before == _NOTHING_YET:
            problem = "the conversation begins with the assistant"
            yield plan.remark(spot.path, problem, advice="Begin with what the user said.")
        before = spot.kind


RULE = Rule(
    code="BC508",
    name="examples-out-of-turn",
    severity=Severity.WARNING,
    finds="Two user messages or two assistant messages follow each other, or the conversation "
    "begins with the assistant.",
    why="Several providers refuse such a call or join the messages, and an example whose question "
    "and answer do not alternate teaches the model a dialogue that never happens.",
    instead="Let user and assistant take turns, beginning with the user.",
    bad="""\
kind: context
name: support
messages:
  - {type: system, content: You are a support agent.}
  - {type: user, content: Where is my parcel?}
  - {type: user, content: "{input.question}"}  # <- BC508
""",
    good="""\
kind: context
name: support
messages:
  - {type: system, content: You are a support agent.}
  - {type: user, content: Where is my parcel?}
  - {type: assistant, content: Please tell me the number of your order.}
  - {type: user, content: "{input.question}"}
""",
    check=_check,
)
