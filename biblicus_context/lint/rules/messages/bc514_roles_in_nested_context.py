"""BC514: user or assistant messages in a nested context."""

from __future__ import annotations

from collections.abc import Iterator

from biblicus_context.lint.engine.finding import Severity, Violation
from biblicus_context.lint.engine.rule import Rule
from biblicus_context.lint.facts.budgets.packs import inserts
from biblicus_context.lint.facts.project.declarations import Declarations
from biblicus_context.lint.facts.project.plan import Plan
from biblicus_context.lint.facts.templates.texts import directives
from biblicus_context.spec.directive import AssistantMessageSpec, UserMessageSpec


def _check(plan: Plan, declared: Declarations) -> Iterator[Violation]:
    for insert in inserts(plan, declared):
        if insert.nested is None:
            continue
        spoken = (
            directive.type
            for _, directive, _ in directives(insert.nested)
            if isinstance(directive, UserMessageSpec | AssistantMessageSpec)
        )
        role = next(spoken, None)
        if role:
            yield plan.violation(
                (*insert.path, "name"),
                f"context '{insert.name}' has {role} messages, which become plain text here",
                advice="Place these messages in the outer context, or make them system texts.",
            )


RULE = Rule(
    code="BC514",
    name="roles-in-nested-context",
    severity=Severity.WARNING,
    finds="A context with user or assistant messages is inserted by another one.",
    why=(
        "A nested context is placed as one text, so the roles are lost: examples become plain "
        "sentences, and a question becomes part of the system prompt."
    ),
    instead="Keep examples and questions in the outer context.",
    bad="""\
kind: context
name: support
messages:
  - {type: context, name: examples}  # <- BC514
  - {type: user, content: "{input.question}"}
---
kind: context
name: examples
messages:
  - {type: user, content: Where is my parcel?}
  - {type: assistant, content: Please tell me the number of your order.}
""",
    good="""\
kind: context
name: support
messages:
  - {type: user, content: Where is my parcel?}
  - {type: assistant, content: Please tell me the number of your order.}
  - {type: user, content: "{input.question}"}
""",
    check=_check,
)
