"""BC124: a line that is indented with a tab."""

from __future__ import annotations

from biblicus_context.lint.engine.finding import Severity
from biblicus_context.lint.engine.rule import Rule, checked_by_reader

RULE = Rule(
    code="BC124",
    name="tab-indentation",
    severity=Severity.ERROR,
    finds="A line is indented with a tab.",
    why="YAML allows only spaces as indentation, because editors show tabs in different widths.",
    instead="Indent with spaces, and set your editor to insert spaces.",
    bad="""\
kind: context
name: support
messages:
\t- {type: user, content: "{input.question}"} # <- BC124
""",
    good="""\
kind: context
name: support
messages:
  - {type: user, content: "{input.question}"}
""",
    check=checked_by_reader,
)
