"""BC504: the question is placed before the history."""

from __future__ import annotations

from collections.abc import Iterator

from biblicus_context.lint.engine.finding import Severity, Violation
from biblicus_context.lint.engine.rule import Rule
from biblicus_context.lint.facts.messages.placement import last_index, placed_directives
from biblicus_context.lint.facts.project.declarations import Declarations
from biblicus_context.lint.facts.project.plan import Plan


def _check(plan: Plan, declared: Declarations) -> Iterator[Violation]:
    found = placed_directives(plan, declared)
    question = last_index(found, "user")
    if 0 <= question < last_index(found, "history"):
        yield plan.violation(
            found[question].path,
            "the question, which is the last user message, is placed before the history",
            advice="Move it after the history. If it is an example, add the question after the "
            "history, because the user message of the caller is not placed.",
        )


RULE = Rule(
    code="BC504",
    name="question-before-history",
    severity=Severity.WARNING,
    finds="The last user message of a plan is placed before the history.",
    why=(
        "The last `user` directive is the question of the call. If the history follows, the model "
        "answers the last turn of the history instead. If the directive is an example, the user "
        "message of the caller is missing, because the plan already has one."
    ),
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
