"""BC410: a template reaches for a name that begins with an underscore."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from biblicus_context.lint.engine.finding import Remark, Severity
from biblicus_context.lint.engine.rule import Rule
from biblicus_context.lint.facts.templates.texts import refusals

if TYPE_CHECKING:
    from biblicus_context.lint.facts.project.declarations import Declared
    from biblicus_context.lint.facts.project.plan import Plan


def _check(plan: Plan, declared: Declared) -> Iterator[Remark]:
    del declared
    yield from refusals(plan, "hidden")


RULE = Rule(
    code="BC410",
    name="hidden-attribute",
    severity=Severity.ERROR,
    finds="A template or a `when` names something that begins with `_`.",
    why="Such names lead to the insides of Python, as in `input.user.__class__`, so the engine "
    "never gives them out, not even from a mapping that has the key. The call ends in an error.",
    instead="Hand the value in under a plain name.",
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
)
