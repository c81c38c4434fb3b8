"""BC121: a control character in the file."""

from __future__ import annotations

from biblicus_context.lint.engine.finding import Severity
from biblicus_context.lint.engine.rule import Rule, by_the_reader

RULE = Rule(
    code="BC121",
    name="invisible-character",
    severity=Severity.ERROR,
    finds=(
        "A control character, a line separator, a byte order mark inside the text, or half a "
        "character."
    ),
    why="Readers of YAML refuse it or end a line there, and no editor shows it.",
    instead="Remove it, or write it as an escape in double quotes.",
    bad="""\
kind: context
name: support
description: Answers\x07 questions. # <- BC121
messages:
  - {type: user, content: "{input.question}"}
""",
    good="""\
kind: context
name: support
description: Answers questions.
messages:
  - {type: user, content: "{input.question}"}
""",
    check=by_the_reader,
)
