"""BC505: a plan that ends with an assistant message."""

from __future__ import annotations

from collections.abc import Iterator

from biblicus_context.lint.engine.finding import Severity, Violation
from biblicus_context.lint.engine.rule import Rule
from biblicus_context.lint.facts.messages.placement import last_index, placed_directives
from biblicus_context.lint.facts.project.declarations import Declarations
from biblicus_context.lint.facts.project.plan import Plan


def _check(plan: Plan, declared: Declarations) -> Iterator[Violation]:
    found = placed_directives(plan, declared)
    end = last_index(found, "assistant")
    if (
        end > last_index(found, "user", "history") >= 0
        and last_index(found, "user") >= 0
        and found[end].always
    ):
        yield plan.violation(
            found[end].path,
            "the plan ends with an assistant message, and the user message of the caller is not "
            "placed",
            advice="Add the question after it: {type: user, ...}. If the model should continue "
            "this message, suppress this finding.",
        )


RULE = Rule(
    code="BC505",
    name="assistant-message-last",
    severity=Severity.WARNING,
    finds="A plan with a user message ends with an assistant message.",
    why=(
        "The plan usually ends with an example and lacks the question: the user message of the "
        "caller is placed only if the plan has none. Some models continue a started answer, others "
        "reject the call."
    ),
    instead="Place the question after the examples.",
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
