"""BC410: a name that begins with an underscore."""

from __future__ import annotations

from collections.abc import Iterator

from biblicus_context.lint.engine.finding import Severity, Violation
from biblicus_context.lint.engine.rule import Rule
from biblicus_context.lint.facts.project.declarations import Declarations
from biblicus_context.lint.facts.project.plan import Plan
from biblicus_context.lint.facts.templates.template_mistakes import template_violations


def _check(plan: Plan, declared: Declarations) -> Iterator[Violation]:
    del declared
    yield from template_violations(plan, "hidden")


RULE = Rule(
    code="BC410",
    name="private-attribute",
    severity=Severity.ERROR,
    finds="A template or a `when` uses a name that begins with `_`.",
    why=(
        "Such names reach Python internals, as in `input.user.__class__`. The engine refuses them, "
        "even as keys of a mapping, and the call fails."
    ),
    instead="Pass the value under a name without a leading underscore.",
    bad="""\
kind: context
name: support
messages:
  - type: user
    template: |-
      {{ input.question }}
      {{ input.user._name }}  {# <- BC410 #}
""",
    good="""\
kind: context
name: support
messages:
  - type: user
    template: |-
      {{ input.question }}
      {{ input.user.name }}
""",
    check=_check,
    depends_on=frozenset(),
)
