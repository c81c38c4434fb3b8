"""BC144: a list whose lines are joined into one."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise
from typing import NamedTuple

from biblicus_context.lint.engine.finding import Severity, Violation
from biblicus_context.lint.engine.rule import Rule
from biblicus_context.lint.facts.project.declarations import Declarations
from biblicus_context.lint.facts.project.plan import Plan
from biblicus_context.lint.facts.source.written_values import written_values
from biblicus_context.reading.yaml.tree import Node, Place

_ITEM = re.compile(r"(?:[-*+•]|\d{1,3}[.)]|#{1,6})[ \t]+\S")
_FEWEST = 2


class _Line(NamedTuple):
    number: int
    indent: int
    text: str

    @property
    def is_item(self) -> bool:
        return bool(_ITEM.match(self.text))


def _check(plan: Plan, declared: Declarations) -> Iterator[Violation]:
    """Texts after `>` with at least two joined lines that look like list items."""
    for node in written_values(plan, declared).values:
        if node.style == ">" and node.value:  # the lines of an empty text are those of others
            joined = _joined_items(_lines(plan, node))
            if len(joined) >= _FEWEST:
                number, indent, text = joined[0]
                yield Violation(
                    Place(number, indent + 1),
                    "'>' joins these lines into one",
                    found=text,
                    advice="Begin the text with '|' to keep line breaks.",
                )


def _lines(plan: Plan, node: Node) -> list[_Line]:
    """The lines of a block text: those indented as far as the first one or further, and empty ones."""
    lines: list[_Line] = []
    outermost = None
    for number in range(node.place.line + 1, len(plan.lines) + 1):
        line = plan.lines[number - 1]
        indent, text = len(line) - len(line.lstrip()), line.strip()
        outermost = indent if text and outermost is None else outermost
        if text and outermost is not None and indent < outermost:
            break
        lines.append(_Line(number, indent, text))
    return lines


def _joined_items(lines: list[_Line]) -> list[_Line]:
    """Lines that look like list items and are joined to the line before."""
    outermost = min((line.indent for line in lines if line.text), default=0)
    return [
        line
        for before, line in pairwise(lines)
        if line.is_item and before.text and before.indent == line.indent == outermost
    ]


RULE = Rule(
    code="BC144",
    name="list-in-folded-text",
    severity=Severity.WARNING,
    finds="A text after `>` contains a list or headings, whose lines are joined into one line.",
    why=(
        "`>` joins adjacent lines. The model gets `Rules: - Be brief. - Be kind.` instead of a "
        "list."
    ),
    instead=(
        "Begin the text with `|`, which keeps line breaks, or put an empty line between the items."
    ),
    bad="""\
kind: context
name: support
messages:
  - type: system
    content: >
      Rules:
      - Be brief. # <- BC144
      - Be kind.
  - {type: user, content: "{input.question}"}
""",
    good="""\
kind: context
name: support
messages:
  - type: system
    content: |
      Rules:
      - Be brief.
      - Be kind.
  - {type: user, content: "{input.question}"}
""",
    check=_check,
    depends_on=frozenset(),
)
