"""BC146: an anchor without an alias."""

from __future__ import annotations

from collections.abc import Iterator

from biblicus_context.lint.engine.finding import Severity, Violation
from biblicus_context.lint.engine.rule import Rule
from biblicus_context.lint.facts.project.declarations import Declarations
from biblicus_context.lint.facts.project.plan import Plan


def _check(plan: Plan, declared: Declarations) -> Iterator[Violation]:
    """Anchors that no alias uses."""
    del declared
    for name, place in plan.document.tree.loose_anchors:
        yield Violation(
            place,
            "the anchor is not used by any alias",
            found=f"&{name}",
            advice="Remove it, or put text that begins with '&' in quotes.",
        )


RULE = Rule(
    code="BC146",
    name="unused-anchor",
    severity=Severity.WARNING,
    finds="An anchor `&name` is not used by any alias `*name`.",
    why=(
        "The anchor is a leftover, or it was meant as text: `content: &nbsp; hello` places only "
        "`hello`, because YAML reads the first word as an anchor."
    ),
    instead="Remove the anchor, or put the text in quotes.",
    bad="""\
kind: context
name: support
messages:
  - {type: system, content: &Co is our name.} # <- BC146
  - {type: user, content: "{input.question}"}
""",
    good="""\
kind: context
name: support
messages:
  - {type: system, content: "&Co is our name."}
  - {type: user, content: "{input.question}"}
""",
    check=_check,
    depends_on=frozenset(),
)
