"""BC418: a variable with a reserved name."""

from __future__ import annotations

from collections.abc import Iterator

from biblicus_context.lint.engine.finding import Severity, Violation
from biblicus_context.lint.engine.rule import Rule
from biblicus_context.lint.facts.project.declarations import Declarations
from biblicus_context.lint.facts.project.plan import Plan
from biblicus_context.lint.facts.templates.texts import PROVIDED, directives_of
from biblicus_context.spec.directive import TextDirective


def _check(plan: Plan, declared: Declarations) -> Iterator[Violation]:
    del declared
    for path, directive in directives_of(plan.declaration, TextDirective):
        for name in sorted(PROVIDED & directive.vars.keys()):
            what = "inputs" if name == "input" else "packs"
            yield plan.violation(
                (*path, "vars", name),
                f"the variable hides the {what} of the call",
                found=name,
                advice="Rename it.",
            )


RULE = Rule(
    code="BC418",
    name="reserved-var-name",
    severity=Severity.WARNING,
    finds="A variable under `vars` has the name `input` or `context`.",
    why=(
        "Variables hide the engine's names in their text, so `{input.question}` no longer refers "
        "to the input of the call."
    ),
    instead="Rename the variable.",
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
