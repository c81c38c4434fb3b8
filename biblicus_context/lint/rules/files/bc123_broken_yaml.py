"""BC123: a text that is no YAML."""

from __future__ import annotations

from biblicus_context.lint.engine.finding import Severity
from biblicus_context.lint.engine.rule import Rule, by_the_reader

RULE = Rule(
    code="BC123",
    name="broken-yaml",
    severity=Severity.ERROR,
    finds=(
        "Something that is no YAML: keys that are not aligned, a key without a colon, text behind a "
        "`|`."
    ),
    why="Nothing of the document can be read; the others in the file still are.",
    instead="Do what the finding says; most often it is about indentation.",
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
    check=by_the_reader,
)
