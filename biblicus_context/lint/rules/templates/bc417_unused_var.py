"""BC417: a variable that is not used."""

from __future__ import annotations

from collections.abc import Iterator

from biblicus_context.lint.engine.finding import Severity, Violation
from biblicus_context.lint.engine.rule import Rule
from biblicus_context.lint.facts.project.declarations import Declarations
from biblicus_context.lint.facts.project.plan import Plan
from biblicus_context.lint.facts.source.removal import removal
from biblicus_context.lint.facts.templates.texts import directives_of, texts
from biblicus_context.spec.directive import TextDirective


def _check(plan: Plan, declared: Declarations) -> Iterator[Violation]:
    del declared
    readings = {text.directive: text.parsed for text in texts(plan.declaration)}
    for path, directive in directives_of(plan.declaration, TextDirective):
        reading = readings.get(path)
        if reading and reading.mistakes:
            continue
        used = {use.first for use in reading.uses} if reading else set()
        unused = [name for name in directive.vars if name not in used]
        whole = len(unused) == len(directive.vars)
        for name in unused:
            key = (*path, "vars", name)
            yield plan.violation(
                key,
                "the variable is not used in the text",
                found=name,
                advice=f"Use it as {{{name}}}, or remove it.",
                edits=removal(plan, (*path, "vars") if whole else key),
            )


RULE = Rule(
    code="BC417",
    name="unused-var",
    severity=Severity.WARNING,
    finds="A directive declares a variable under `vars` that its text does not use.",
    why=(
        "Only this text can use the variable, so it has no effect. Often the text spells the name "
        "differently."
    ),
    instead="Use the variable, or remove it.",
    bad="""\
kind: context
name: support
messages:
  - type: user
    template: "{greeting} {input.question}"
    vars:
      greeting: Hello.
      closing: Goodbye.  # <- BC417
""",
    good="""\
kind: context
name: support
messages:
  - type: user
    template: "{greeting} {input.question}"
    vars:
      greeting: Hello.
""",
    check=_check,
)
