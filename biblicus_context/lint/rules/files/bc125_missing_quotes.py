"""BC125: text that needs quotes."""

from __future__ import annotations

from biblicus_context.lint.engine.finding import Severity
from biblicus_context.lint.engine.rule import Rule, by_the_reader

RULE = Rule(
    code="BC125",
    name="missing-quotes",
    severity=Severity.ERROR,
    finds=(
        "Text without quotes that contains `: `, or begins with a sign of YAML's own, such as `@`, "
        "`*`, `&` or `%`."
    ),
    why="YAML takes the sign for its own, and cannot go on.",
    instead="Quote the text, or move it behind a `|` to a line of its own.",
    bad="""\
kind: context
name: support
description: Answers: short and friendly. # <- BC125
messages:
  - {type: user, content: "{input.question}"}
""",
    good="""\
kind: context
name: support
description: "Answers: short and friendly."
messages:
  - {type: user, content: "{input.question}"}
""",
    check=by_the_reader,
)
