"""BC411: a filter or a test that does not exist."""

from __future__ import annotations

from collections.abc import Iterator

from biblicus_context.lint.engine.finding import Severity, Violation
from biblicus_context.lint.engine.rule import Rule
from biblicus_context.lint.facts.project.declarations import Declarations
from biblicus_context.lint.facts.project.plan import Plan
from biblicus_context.lint.facts.templates.template_mistakes import template_violations


def _check(plan: Plan, declared: Declarations) -> Iterator[Violation]:
    del declared
    yield from template_violations(plan, "filter")


RULE = Rule(
    code="BC411",
    name="unknown-filter",
    severity=Severity.ERROR,
    finds=(
        "A template or a `when` uses an unknown filter (`value | name`) or test (`value is name`)."
    ),
    why=(
        "The call ends in a TemplateError. All filters of Jinja2 exist except `random`, because "
        "equal inputs must give equal texts."
    ),
    instead="Write the name of an existing filter; the finding suggests the nearest ones.",
    bad="""\
kind: context
name: support
messages:
  - type: user
    template: |-
      Question:
      {{ input.question | uppercase }}  {# <- BC411 #}
""",
    good="""\
kind: context
name: support
messages:
  - type: user
    template: |-
      Question:
      {{ input.question | upper }}
""",
    check=_check,
    depends_on=frozenset(),
)
