"""BC503: a plan without a user message."""

from __future__ import annotations

from collections.abc import Iterator

from biblicus_context.lint.engine.finding import Severity, Violation
from biblicus_context.lint.engine.rule import Rule
from biblicus_context.lint.facts.messages.placement import placed_directives
from biblicus_context.lint.facts.project.declarations import Declarations
from biblicus_context.lint.facts.project.plan import Plan
from biblicus_context.spec.context import ContextDeclaration


def _check(plan: Plan, declared: Declarations) -> Iterator[Violation]:
    context = plan.declaration
    kinds = {spot.kind for spot in placed_directives(plan, declared)}
    if not kinds or not isinstance(context, ContextDeclaration) or not context.inputs:
        return
    if kinds.isdisjoint(("user", "history")):
        yield plan.violation(
            ("messages",),
            "the plan declares inputs, but places no user message",
            advice="Add {type: user, ...} at the end, unless every caller passes user_message.",
        )


RULE = Rule(
    code="BC503",
    name="missing-user-message",
    severity=Severity.WARNING,
    finds="A plan declares inputs, but places neither a user message nor the history.",
    why=(
        "Without a user message in the plan, the call uses the `user_message` of the caller. "
        "Callers who pass the question as an input usually pass no `user_message`, and providers "
        "reject a call without a user message."
    ),
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
