"""BC508: messages that do not alternate between user and assistant."""

from __future__ import annotations

from collections.abc import Iterator

from biblicus_context.lint.engine.finding import Severity, Violation
from biblicus_context.lint.engine.rule import Rule
from biblicus_context.lint.facts.messages.placement import CONVERSATION, placed_directives
from biblicus_context.lint.facts.project.declarations import Declarations
from biblicus_context.lint.facts.project.plan import Plan

_NOTHING_YET = "nothing yet"
_ANYBODY = "anybody"


def _check(plan: Plan, declared: Declarations) -> Iterator[Violation]:
    before = _NOTHING_YET
    for spot in placed_directives(plan, declared):
        if spot.kind not in CONVERSATION:
            continue
        if not spot.always or spot.kind == "history":
            before = _ANYBODY
            continue
        if spot.kind == before:
            problem = f"two {spot.kind} messages in a row"
            yield plan.violation(
                spot.path, problem, advice="Join them, or alternate user and assistant."
            )
        elif spot.kind == "assistant" and before == _NOTHING_YET:
            problem = "the conversation begins with an assistant message"
            yield plan.violation(spot.path, problem, advice="Begin with a user message.")
        before = spot.kind


RULE = Rule(
    code="BC508",
    name="non-alternating-roles",
    severity=Severity.WARNING,
    finds=(
        "Two user messages or two assistant messages follow each other, or the conversation begins "
        "with the assistant."
    ),
    why=(
        "Some providers reject such a call or join the messages, and examples that do not "
        "alternate teach the model a dialogue that never happens."
    ),
    instead="Alternate between user and assistant, and begin with the user.",
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
