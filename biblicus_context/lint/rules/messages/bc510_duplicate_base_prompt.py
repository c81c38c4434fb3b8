"""BC510: the base system prompt is placed more than once."""

from __future__ import annotations

from collections.abc import Iterator

from biblicus_context.lint.engine.finding import Severity, Violation
from biblicus_context.lint.engine.rule import Rule
from biblicus_context.lint.facts.project.declarations import Declarations
from biblicus_context.lint.facts.project.plan import Plan
from biblicus_context.lint.facts.templates.texts import directives
from biblicus_context.spec.directive import SystemMessageSpec


def _check(plan: Plan, declared: Declarations) -> Iterator[Violation]:
    del declared
    placed = [
        path
        for path, directive, always in directives(plan.declaration)
        if isinstance(directive, SystemMessageSpec) and directive.base and always
    ]
    for path in placed[1:]:
        yield plan.violation(
            (*path, "base"),
            "the base system prompt is placed a second time",
            advice="Place it once.",
        )


RULE = Rule(
    code="BC510",
    name="duplicate-base-prompt",
    severity=Severity.WARNING,
    finds="Two directives with `base: true` are placed in the same call.",
    why="The base system prompt of the caller is sent and counted twice.",
    instead="Place it once.",
    bad="""\
kind: context
name: support
messages:
  - {type: system, base: true}
  - {type: system, content: Answer in short sentences.}
  - {type: system, base: true}  # <- BC510
  - {type: user, content: "{input.question}"}
""",
    good="""\
kind: context
name: support
messages:
  - {type: system, base: true}
  - {type: system, content: Answer in short sentences.}
  - {type: user, content: "{input.question}"}
""",
    check=_check,
)
