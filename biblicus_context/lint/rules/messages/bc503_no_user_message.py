"""BC503: a plan asks the model nothing."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from biblicus_context.lint.engine.finding import Remark, Severity
from biblicus_context.lint.engine.rule import Rule
from biblicus_context.lint.facts.messages.placement import spots
from biblicus_context.spec.context import ContextDeclaration

if TYPE_CHECKING:
    from biblicus_context.lint.facts.project.declarations import Declared
    from biblicus_context.lint.facts.project.plan import Plan


def _check(plan: Plan, declared: Declared) -> Iterator[Remark]:
    context = plan.declaration
    kinds = {spot.kind for spot in spots(plan, declared)}
    if not kinds or not isinstance(context, ContextDeclaration) or not context.inputs:
        return
    if kinds.isdisjoint(("user", "history")):
        yield plan.remark(
            ("messages",),
            "callers hand in inputs, and nothing is placed as the user's message",
            advice="Add {type: user, ...} at the end, unless every caller hands in user_message.",
        )


RULE = Rule(
    code="BC503",
    name="no-user-message",
    severity=Severity.WARNING,
    finds="A plan declares inputs, and places neither a user message nor the history.",
    why="Without a user message in the plan the call ends with the caller's `user_message`. A "
    "caller who hands in the question as an input mostly hands in no such message, and providers "
    "refuse a call without one.",
    instead="End the plan with a `user` directive that places the question.",
    bad="""\
kind: context
name: support
inputs: {question: string}
messages:  # <- BC503
  - {type: system, content: "Answer this question: {input.question}"}
""",
    good="""\
kind: context
name: support
inputs: {question: string}
messages:
  - {type: system, content: You are a support agent.}
  - {type: user, content: "{input.question}"}
""",
    check=_check,
)
