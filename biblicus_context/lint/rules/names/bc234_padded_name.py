"""BC234: a name with spaces around it or a line break in it."""

from __future__ import annotations

from collections.abc import Iterator

from biblicus_context.lint.engine.finding import Remark, Severity
from biblicus_context.lint.engine.rule import Rule
from biblicus_context.lint.facts.project.declarations import Declared
from biblicus_context.lint.facts.project.plan import Plan


def _check(plan: Plan, declared: Declared) -> Iterator[Remark]:
    """Names as they were read, with what quotes and block texts keep."""
    del declared
    name = plan.declaration.name
    if name != " ".join(name.split()):
        yield plan.remark(
            ("name",),
            "the name has spaces around it, or more than single spaces inside",
            found=name,
            advice="Write it on one line, without spaces around it.",
        )


RULE = Rule(
    code="BC234",
    name="padded-name",
    severity=Severity.WARNING,
    finds="A name with spaces around it, a line break in it, or several spaces in a row.",
    why=(
        "They belong to the name: whoever uses it has to write them as well, and cannot see that. "
        "Text behind a `|` always ends with a line break."
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
)
