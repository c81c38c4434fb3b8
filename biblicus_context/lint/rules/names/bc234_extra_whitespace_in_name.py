"""BC234: a name with extra whitespace."""

from __future__ import annotations

from collections.abc import Iterator

from biblicus_context.lint.engine.finding import Severity, Violation
from biblicus_context.lint.engine.rule import Rule
from biblicus_context.lint.facts.project.declarations import Declarations
from biblicus_context.lint.facts.project.plan import Plan


def _check(plan: Plan, declared: Declarations) -> Iterator[Violation]:
    """Checks names with all whitespace that quotes and block texts keep."""
    del declared
    name = plan.declaration.name
    if name != " ".join(name.split()):
        yield plan.violation(
            ("name",),
            "the name has extra whitespace",
            found=name,
            advice="Write it on one line, without spaces around it.",
        )


RULE = Rule(
    code="BC234",
    name="extra-whitespace-in-name",
    severity=Severity.WARNING,
    finds="A name has spaces around it, a line break in it, or several spaces in a row.",
    why=(
        "The whitespace is part of the name, so every reference has to repeat it exactly. Text "
        "after `|` always ends with a line break."
    ),
    instead="Write the name on one line, without spaces around it.",
    bad="""\
kind: context
name: "support " # <- BC234
messages:
  - {type: user, content: "{input.question}"}
""",
    good="""\
kind: context
name: support
messages:
  - {type: user, content: "{input.question}"}
""",
    check=_check,
    depends_on=frozenset(),
)
