"""BC145: an escape outside double quotes."""

from __future__ import annotations

import re
from collections.abc import Iterator

from biblicus_context.lint.engine.finding import Severity, Violation
from biblicus_context.lint.engine.rule import Rule
from biblicus_context.lint.facts.project.declarations import Declarations
from biblicus_context.lint.facts.project.plan import Plan
from biblicus_context.lint.facts.source.written_values import written_values
from biblicus_context.reading.yaml.tree import Node, Place

_ESCAPE = "\\n"
# Twice in a row, at the beginning, or between two sentences; not in a path such as C:\new, and not
# where a text is about line breaks.
_MEANT = re.compile(r"\\n\\n|^\\n|(?<=[\w.,:;!?})\]])\\n(?=[A-Z0-9{\-*#]|$)")


def _check(plan: Plan, declared: Declarations) -> Iterator[Violation]:
    r"""Texts outside double quotes that contain `\n` as a line break."""
    if _ESCAPE not in plan.text:
        return
    for node in written_values(plan, declared).values:
        if isinstance(node.value, str) and node.style in ("", "'") and _MEANT.search(node.value):
            yield Violation(
                _place(plan, node),
                "'\\n' outside double quotes is not a line break",
                found=_ESCAPE,
                advice="Put the text in double quotes, or write its lines after '|'.",
            )


def _place(plan: Plan, node: Node) -> Place:
    column = plan.lines[node.place.line - 1].find(_ESCAPE, node.place.column - 1)
    return node.place if column < 0 else node.place._replace(column=column + 1)


RULE = Rule(
    code="BC145",
    name="unprocessed-escape",
    severity=Severity.WARNING,
    finds="A line break is written as `\\n` outside double quotes.",
    why=(
        "YAML processes escapes only in double quotes. Elsewhere the model gets a backslash and an "
        "n."
    ),
    instead="Use double quotes, or a text of several lines after `|`.",
    bad="""\
kind: context
name: support
messages:
  - {type: system, content: 'Be brief.\\nBe kind.'} # <- BC145
  - {type: user, content: "{input.question}"}
""",
    good="""\
kind: context
name: support
messages:
  - {type: system, content: "Be brief.\\nBe kind."}
  - {type: user, content: "{input.question}"}
""",
    check=_check,
    depends_on=frozenset(),
)
