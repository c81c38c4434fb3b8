"""BC422: a placeholder in the value of a variable."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from biblicus_context.lint.engine.finding import Severity, Violation
from biblicus_context.lint.engine.rule import Rule
from biblicus_context.lint.facts.project.declarations import Declarations
from biblicus_context.lint.facts.project.plan import Plan
from biblicus_context.lint.facts.templates.texts import directives_of
from biblicus_context.spec.directive import TextDirective

_FILLED_IN: Final = re.compile(r"\{\{?\s*(?:input|context)\b[^{}\n]*\}")


def _check(plan: Plan, declared: Declarations) -> Iterator[Violation]:
    del declared
    for path, directive in directives_of(plan.declaration, TextDirective):
        for name, value in directive.vars.items():
            match = _FILLED_IN.search(value) if isinstance(value, str) else None
            if match:
                yield plan.violation(
                    (*path, "vars", name),
                    "placeholders in the value of a variable are not replaced",
                    found=match[0],
                    advice="Write the placeholder in the text itself.",
                )


RULE = Rule(
    code="BC422",
    name="placeholder-in-vars",
    severity=Severity.WARNING,
    finds="The value of a variable contains a placeholder or Jinja2.",
    why="Values are data and are never rendered, so the model sees the braces.",
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
