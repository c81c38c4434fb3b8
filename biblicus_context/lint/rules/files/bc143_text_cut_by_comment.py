"""BC143: text that ends at a number sign."""

from __future__ import annotations

import re
from collections.abc import Iterator

from biblicus_context.lint.engine.finding import Remark, Severity
from biblicus_context.lint.engine.rule import Rule
from biblicus_context.lint.facts.project.declarations import Declared
from biblicus_context.lint.facts.project.plan import Plan
from biblicus_context.lint.facts.source.written_values import words
from biblicus_context.reading.yaml.tree import Node, Place

# Behind the sign of a comment people leave a space, or draw a line of further signs.
_CUT = re.compile(r"[ \t]+(?P<lost>#[^\s#].*)")


def _check(plan: Plan, declared: Declared) -> Iterator[Remark]:
    """Sentences without quotes, directly behind which a `#` is followed by a letter."""
    for node in words(plan, declared).values:
        if isinstance(node.value, str) and not node.style and " " in node.value:
            lost = _lost(plan, node)
            if lost:
                yield Remark(
                    lost[0],
                    "the text ends here: YAML takes what follows for a comment",
                    found=lost[1],
                    advice="Quote the text; put a space behind the sign of a comment.",
                )


def _lost(plan: Plan, node: Node) -> tuple[Place, str] | None:
    """What stands behind a text on its last line, if it may belong to it."""
    line = plan.lines[node.last_line - 1]
    one_line = node.last_line == node.place.line
    start = node.place.column - 1 + len(str(node.value)) if one_line else 0
    match = _CUT.match(line, start) if one_line else _CUT.search(line)
    if match is None:
        return None
    return Place(node.last_line, match.start("lost") + 1), match["lost"].rstrip()


RULE = Rule(
    code="BC143",
    name="text-cut-by-comment",
    severity=Severity.WARNING,
    finds="A sentence without quotes that ends where a `#` begins a comment, with no space behind it.",
    why=(
        "A space and a `#` begin a comment, also in the middle of a sentence such as "
        "`content: Answer ticket #12 first`. Everything from there on is lost, without an error."
    ),
    instead="Put the text in quotes, or behind a `|` on a line of its own.",
    bad="""\
kind: context
name: support
messages:
  - type: system
    content: Answer ticket #12 first. # <- BC143
  - {type: user, content: "{input.question}"}
""",
    good="""\
kind: context
name: support
messages:
  - type: system
    content: "Answer ticket #12 first."
  - {type: user, content: "{input.question}"}
""",
    check=_check,
)
