"""BC418: a variable hides the inputs or the packs."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from biblicus_context.lint.engine.finding import Remark, Severity
from biblicus_context.lint.engine.rule import Rule
from biblicus_context.lint.facts.templates.texts import PROVIDED, directives
from biblicus_context.spec.directive import TextDirective

if TYPE_CHECKING:
    from biblicus_context.lint.facts.project.declarations import Declared
    from biblicus_context.lint.facts.project.plan import Plan


def _check(plan: Plan, declared: Declared) -> Iterator[Remark]:
    del declared
    for path, directive, _ in directives(plan.declaration):
        if isinstance(directive, TextDirective):
            for name in sorted(PROVIDED & directive.vars.keys()):
                what = "inputs" if name == "input" else "packs"
                yield plan.remark(
                    (*path, "vars", name),
                    f"this variable hides the {what}: no {name} of the call reaches the text",
                    found=name,
                    advice="Give it another name.",
                )


RULE = Rule(
    code="BC418",
    name="shadowing-var",
    severity=Severity.WARNING,
    finds="A variable under `vars` has the name `input` or `context`.",
    why="Variables override names of the engine in their text, so `{input.question}` no longer "
    "means what the caller hands in.",
    instead="Give the variable a name of its own.",
    bad="""\
kind: context
name: support
messages:
  - type: user
    content: "{input.greeting}"
    vars:
      input: {greeting: Hello.}  # <- BC418
""",
    good="""\
kind: context
name: support
messages:
  - type: user
    content: "{greeting} {input.question}"
    vars:
      greeting: Hello.
""",
    check=_check,
)
