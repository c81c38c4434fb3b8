"""BC422: a variable holds what is never filled in."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from biblicus_context.lint.engine.finding import Remark, Severity
from biblicus_context.lint.engine.rule import Rule
from biblicus_context.lint.facts.templates.texts import directives
from biblicus_context.spec.directive import TextDirective

if TYPE_CHECKING:
    from biblicus_context.lint.facts.project.declarations import Declared
    from biblicus_context.lint.facts.project.plan import Plan

_FILLED_IN: Final = re.compile(r"\{\{?\s*(?:input|context)\b[^{}\n]*\}")


def _check(plan: Plan, declared: Declared) -> Iterator[Remark]:
    del declared
    for path, directive, _ in directives(plan.declaration):
        if not isinstance(directive, TextDirective):
            continue
        for name, value in directive.vars.items():
            match = _FILLED_IN.search(value) if isinstance(value, str) else None
            if match:
                yield plan.remark(
                    (*path, "vars", name),
                    "the values of variables are data: this is not filled in",
                    found=match[0],
                    advice="Write the placeholder in the text itself.",
                )


RULE = Rule(
    code="BC422",
    name="placeholder-in-vars",
    severity=Severity.WARNING,
    finds="The value of a variable contains a placeholder or Jinja2.",
    why="Values are never parsed as templates, those of `vars` included. The model is shown the "
    "braces.",
    instead="Write the placeholder in the text, and keep fixed values in `vars`.",
    bad="""\
kind: context
name: support
messages:
  - type: user
    template: "{greeting} {{ input.question }}"
    vars:
      greeting: "Hello, I am {input.name}."  # <- BC422
""",
    good="""\
kind: context
name: support
messages:
  - type: user
    template: "{greeting} {input.name}. {{ input.question }}"
    vars:
      greeting: Hello, I am
""",
    check=_check,
)
