"""BC123: a document that is not valid YAML."""

from __future__ import annotations

from biblicus_context.lint.engine.finding import Severity
from biblicus_context.lint.engine.rule import Rule, checked_by_reader

RULE = Rule(
    code="BC123",
    name="invalid-yaml",
    severity=Severity.ERROR,
    finds=(
        "The document is not valid YAML: keys are not aligned, a key lacks its colon, or text "
        "follows `|` on the same line."
    ),
    why="The document cannot be read. The other documents of the file are still checked.",
    instead="Follow the advice in the finding; the most common cause is wrong indentation.",
    bad="""\
kind: context
name: support
messages:
  - type: user
   content: "{input.question}" # <- BC123
""",
    good="""\
kind: context
name: support
messages:
  - type: user
    content: "{input.question}"
""",
    check=checked_by_reader,
)
