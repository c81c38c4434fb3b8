"""BC412: a call or an include in a template."""

from __future__ import annotations

from collections.abc import Iterator

from biblicus_context.lint.engine.finding import Severity, Violation
from biblicus_context.lint.engine.rule import Rule
from biblicus_context.lint.facts.project.declarations import Declarations
from biblicus_context.lint.facts.project.plan import Plan
from biblicus_context.lint.facts.templates.template_mistakes import template_violations


def _check(plan: Plan, declared: Declarations) -> Iterator[Violation]:
    del declared
    yield from template_violations(plan, "call")


RULE = Rule(
    code="BC412",
    name="call-in-template",
    severity=Severity.ERROR,
    finds="A template or a `when` calls a function or method, or loads another template.",
    why=(
        "Templates only read values, so that no value can run code. The engine rejects the "
        "template before it is rendered."
    ),
    instead=(
        "Use a filter: `{{ name | upper }}` instead of `name.upper()`, `{{ list | length }}` "
        "instead of `len(list)`. Insert another context instead of including a template."
    ),
    bad="""\
kind: context
name: support
messages:
  - type: user
    template: |-
      Question:
      {{ input.question.strip() }}  {# <- BC412 #}
""",
    good="""\
kind: context
name: support
messages:
  - type: user
    template: |-
      Question:
      {{ input.question | trim }}
""",
    check=_check,
    depends_on=frozenset(),
)
