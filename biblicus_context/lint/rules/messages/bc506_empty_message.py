"""BC506: a message without text."""

from __future__ import annotations

from collections.abc import Iterator

from biblicus_context.lint.engine.finding import Severity, Violation
from biblicus_context.lint.engine.rule import Rule
from biblicus_context.lint.facts.project.declarations import Declarations
from biblicus_context.lint.facts.project.plan import Plan
from biblicus_context.lint.facts.templates.texts import Steps, texts


def _check(plan: Plan, declared: Declarations) -> Iterator[Violation]:
    del declared
    for text in texts(plan.declaration):
        if text.source.strip() or _is_last_alternative(plan, text.directive):
            continue
        yield plan.violation(
            text.path,
            "the message is only white space, which providers reject"
            if text.source
            else "the message is empty, so it is not placed",
            advice="Write a text, or remove the directive.",
        )


def _is_last_alternative(plan: Plan, path: Steps) -> bool:
    """Whether the text ends a `first` group: empty, it means that nothing is placed if nothing fits."""
    if "first" not in path:
        return False
    *group, at = path
    return at == len(plan.document.tree.at(group).items) - 1


RULE = Rule(
    code="BC506",
    name="empty-message",
    severity=Severity.WARNING,
    finds="A `content` or a `template` is empty or consists of white space.",
    why=(
        "An empty text is not placed, and an empty user message also suppresses the user message "
        "of the caller. White space is placed, and providers reject such a message."
    ),
    instead=(
        "Write a text, or remove the directive. The last alternative of a `first` may be empty."
    ),
    bad="""\
kind: context
name: support
messages:
  - type: system
    content: ""  # <- BC506
  - {type: user, content: "{input.question}"}
""",
    good="""\
kind: context
name: support
messages:
  - type: system
    content: You are a support agent.
  - {type: user, content: "{input.question}"}
""",
    check=_check,
)
