"""BC146: an anchor that no alias names."""

from __future__ import annotations

from collections.abc import Iterator

from biblicus_context.lint.engine.finding import Remark, Severity
from biblicus_context.lint.engine.rule import Rule
from biblicus_context.lint.facts.project.declarations import Declared
from biblicus_context.lint.facts.project.plan import Plan


def _check(plan: Plan, declared: Declared) -> Iterator[Remark]:
    """What begins with `&` and is used nowhere."""
    del declared
    for name, place in plan.document.tree.loose_anchors:
        yield Remark(
            place,
            "no alias names this anchor, and the text begins behind it",
            found=f"&{name}",
            advice="Remove it; quote text that begins with '&'.",
        )


RULE = Rule(
    code="BC146",
    name="loose-anchor",
    severity=Severity.WARNING,
    finds="An anchor `&name` that no alias `*name` uses.",
    why=(
        "It is a leftover, or it was meant as text: `content: &nbsp; hello` places `hello` alone, "
        "as YAML takes the first word for the name of an anchor."
    ),
    instead="Remove the anchor, or quote the text.",
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
)
