"""BC143: text that ends at a `#`."""

from __future__ import annotations

import re
from collections.abc import Iterator

from biblicus_context.lint.engine.finding import Severity, Violation
from biblicus_context.lint.engine.rule import Rule
from biblicus_context.lint.facts.project.declarations import Declarations
from biblicus_context.lint.facts.project.plan import Plan
from biblicus_context.lint.facts.source.written_values import written_values
from biblicus_context.reading.yaml.tree import Node, Place

# People write a space, or a row of further signs, after the '#' of a real comment.
_CUT = re.compile(r"(?<![ \t])[ \t]+(?P<lost>#[^\s#].*)")


def _check(plan: Plan, declared: Declarations) -> Iterator[Violation]:
    """Sentences without quotes that end at a `#` followed by a letter."""
    for node in written_values(plan, declared).values:
        if isinstance(node.value, str) and not node.style and " " in node.value:
            lost = _lost(plan, node)
            if lost:
                yield Violation(
                    lost[0],
                    "the text ends here, because '#' begins a comment",
                    found=lost[1],
                    advice="Put the text in quotes, or put a space after the '#' of a comment.",
                )


def _lost(plan: Plan, node: Node) -> tuple[Place, str] | None:
    """The comment after a text on its last line, if it may belong to the text."""
    line = plan.lines[node.last_line - 1]
    one_line = node.last_line == node.place.line
    start = node.place.column - 1 + len(str(node.value)) if one_line else 0
    match = _CUT.match(line, start) if one_line else _CUT.search(line)
    if match is None:
        return None
    return Place(node.last_line, match.start("lost") + 1), match["lost"].rstrip()


RULE = Rule(
    code="BC143",
    name="accidental-comment",
    severity=Severity.WARNING,
    finds="Text without quotes ends at a `#` that is directly followed by a letter or digit.",
    why=(
        "A space followed by `#` begins a comment, even inside a sentence such as `content: Answer "
        "ticket #12 first`. The rest of the line is silently lost."
    ),
    instead="Put the text in quotes, or write it on its own line after `|`.",
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
    depends_on=frozenset(),
)
