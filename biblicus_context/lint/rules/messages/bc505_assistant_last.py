"""BC505: a plan ends with words of the assistant."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from biblicus_context.lint.engine.finding import Remark, Severity
from biblicus_context.lint.engine.rule import Rule
from biblicus_context.lint.facts.messages.placement import last, spots

if TYPE_CHECKING:
    from biblicus_context.lint.facts.project.declarations import Declared
    from biblicus_context.lint.facts.project.plan import Plan


def _check(plan: Plan, declared: Declared) -> Iterator[Remark]:
    found = spots(plan, declared)
    end = last(found, "assistant")
    if end > last(found, "user", "history") >= 0 and last(found, "user") >= 0 and found[end].always:
        yield plan.remark(
            found[end].path,
            "the plan ends with the assistant: the caller's own message is not placed behind it, "
            "as the plan has a user message",
            advice="Add the question behind it: {type: user, ...}. To begin the answer for a "
            "model that can go on from there, allow this.",
        )


RULE = Rule(
    code="BC505",
    name="assistant-last",
    severity=Severity.WARNING,
    finds="A plan with a user message ends with an assistant message.",
    why="Mostly the plan ends with a worked example, and its question is missing: the caller's own "
    "message is placed only where the plan has no user message. Some models go on from an answer "
    "that has been begun, others refuse the call.",
    instead="Place the question behind the examples.",
    bad="""\
kind: context
name: support
messages:
  - {type: system, content: You are a support agent.}
  - {type: user, content: Where is my parcel?}
  - {type: assistant, content: Please tell me the number of your order.}  # <- BC505
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
