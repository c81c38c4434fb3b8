"""BC121: a control character in the file."""

from __future__ import annotations

from biblicus_context.lint.engine.finding import Severity
from biblicus_context.lint.engine.rule import Rule, checked_by_reader

RULE = Rule(
    code="BC121",
    name="control-character",
    severity=Severity.ERROR,
    finds=(
        "The file contains a control character, a Unicode line separator, a lone surrogate, or a "
        "byte order mark that is not at the beginning."
    ),
    why="YAML readers reject the character or end the line there, and editors do not show it.",
    instead="Remove the character, or write it as an escape in double quotes.",
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
    check=checked_by_reader,
)
