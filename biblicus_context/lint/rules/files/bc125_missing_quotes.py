"""BC125: text that needs quotes."""

from __future__ import annotations

from biblicus_context.lint.engine.finding import Severity
from biblicus_context.lint.engine.rule import Rule, checked_by_reader

RULE = Rule(
    code="BC125",
    name="missing-quotes",
    severity=Severity.ERROR,
    finds=(
        "Text without quotes contains `: `, or begins with a character that YAML reserves, such as "
        "`@`, `*`, `&` or `%`."
    ),
    why="YAML reads the character as syntax, so the document cannot be read.",
    instead="Put the text in quotes, or write it on its own line after `|`.",
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
    check=checked_by_reader,
)
