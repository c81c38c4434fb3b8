"""BC504: the conversation so far is placed behind the question."""

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
    question = last(found, "user")
    if 0 <= question < last(found, "history"):
        yield plan.remark(
            found[question].path,
            "the last user message of the plan is the question, and the history is placed behind it",
            advice="Move it behind the history. If it is an example, add the real question there: "
            "the caller's own message is not placed beside it.",
        )


RULE = Rule(
    code="BC504",
    name="question-before-history",
    severity=Severity.WARNING,
    finds="The last user message of a plan stands in front of the history.",
    why="The last `user` directive is the question of the call. In front of the history the model "
    "answers the newest turn instead. Where the directive is an example, the caller's own message "
    "is left out, since the plan has a user message.",
    instead="End the plan with the `user` directive that places the question.",
    bad="""\
kind: context
name: support
messages:
  - {type: system, content: You are a support agent.}
  - {type: user, content: Where is my parcel?}  # <- BC504
  - {type: assistant, content: Please tell me the number of your order.}
  - {type: history}
""",
    good="""\
kind: context
name: support
messages:
  - {type: system, content: You are a support agent.}
  - {type: user, content: Where is my parcel?}
  - {type: assistant, content: Please tell me the number of your order.}
  - {type: history}
  - {type: user, content: "{input.question}"}
""",
    check=_check,
)
