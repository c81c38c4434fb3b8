"""BC419: a condition with the same result in every call."""

from __future__ import annotations

from collections.abc import Iterator

from biblicus_context.errors import TemplateError
from biblicus_context.lint.engine.finding import Severity, Violation
from biblicus_context.lint.engine.rule import Rule
from biblicus_context.lint.facts.project.declarations import Declarations
from biblicus_context.lint.facts.project.plan import Plan
from biblicus_context.lint.facts.templates.texts import FieldText, conditions, violation_in
from biblicus_context.text.templates.template import compile_condition


def _check(plan: Plan, declared: Declarations) -> Iterator[Violation]:
    del declared
    for condition in conditions(plan.declaration):
        if condition.parsed.uses or condition.parsed.mistakes:
            continue
        yield violation_in(
            plan,
            condition,
            0,
            f"the condition uses no name, so it {_outcome(condition)}",
            found=condition.source,
            advice="Use a name, as in input.language == 'de', or remove the condition.",
        )


def _outcome(condition: FieldText) -> str:
    try:
        return f"is always {str(compile_condition(condition.source).holds({})).lower()}"
    except TemplateError:
        return "always fails"


RULE = Rule(
    code="BC419",
    name="constant-condition",
    severity=Severity.WARNING,
    finds="A `when` uses no name, so its result is the same in every call.",
    why="The directive is always placed or never. Often a name was put in quotes by accident.",
    instead="Use a name such as `input.language`, or remove the `when` or the directive.",
    bad="""\
kind: context
name: support
messages:
  - type: system
    when: "'input.language' == 'de'"  # <- BC419
    content: Antworte auf Deutsch.
  - {type: user, content: "{input.question}"}
""",
    good="""\
kind: context
name: support
messages:
  - type: system
    when: input.language == 'de'
    content: Antworte auf Deutsch.
  - {type: user, content: "{input.question}"}
""",
    check=_check,
)
