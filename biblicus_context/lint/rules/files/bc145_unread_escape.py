"""BC145: a line break written where a backslash is only a backslash."""

from __future__ import annotations

import re
from collections.abc import Iterator

from biblicus_context.lint.engine.finding import Remark, Severity
from biblicus_context.lint.engine.rule import Rule
from biblicus_context.lint.facts.project.declarations import Declared
from biblicus_context.lint.facts.project.plan import Plan
from biblicus_context.lint.facts.source.written_values import words
from biblicus_context.reading.yaml.tree import Node, Place

_ESCAPE = "\\n"
# Twice in a row, at the beginning, or between the end of one sentence and the start of another;
# not in a path, and not where a text talks about line breaks.
_MEANT = re.compile(r"\\n\\n|^\\n|(?<=[\w.,:;!?})\]])\\n(?=[A-Z0-9{\-*#]|$)")


def _check(plan: Plan, declared: Declared) -> Iterator[Remark]:
    r"""Texts without quotes or in single quotes that contain `\n` for a line break."""
    if _ESCAPE not in plan.text:
        return
    for node in words(plan, declared).values:
        if isinstance(node.value, str) and node.style in ("", "'") and _MEANT.search(node.value):
            yield Remark(
                _place(plan, node),
                "a backslash and an n, not a line break",
                found=_ESCAPE,
                advice="Put the text in double quotes, or behind a '|' with lines of its own.",
            )


def _place(plan: Plan, node: Node) -> Place:
    column = plan.lines[node.place.line - 1].find(_ESCAPE, node.place.column - 1)
    return node.place if column < 0 else node.place._replace(column=column + 1)


RULE = Rule(
    code="BC145",
    name="unread-escape",
    severity=Severity.WARNING,
    finds="A line break written as `\\n` in single quotes or without quotes.",
    why=(
        "Only double quotes read escapes. Everywhere else the model is shown a backslash and an n, "
        "in the middle of a line."
    ),
    instead="Use double quotes, or a text of several lines behind a `|`.",
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
)
