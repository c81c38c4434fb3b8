"""BC124: a tab where spaces have to indent."""

from __future__ import annotations

from biblicus_context.lint.engine.finding import Severity
from biblicus_context.lint.engine.rule import Rule, by_the_reader

RULE = Rule(
    code="BC124",
    name="tab-indentation",
    severity=Severity.ERROR,
    finds="A line that is indented with a tab.",
    why="YAML allows spaces only, as a tab is as wide as an editor likes.",
    instead="Indent with spaces, and set the editor to do so.",
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
    check=by_the_reader,
)
