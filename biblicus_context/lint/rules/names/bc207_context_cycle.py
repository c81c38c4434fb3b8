"""BC207: contexts that insert each other in a cycle."""

from __future__ import annotations

from biblicus_context.lint.engine.finding import Severity
from biblicus_context.lint.engine.rule import Rule, checked_by_reader

RULE = Rule(
    code="BC207",
    name="context-cycle",
    severity=Severity.ERROR,
    finds="A context inserts itself, directly or through other contexts.",
    why="The text would never end, so the engine rejects the project.",
    instead="Remove one of the inserts; the finding shows the whole cycle.",
    bad="""\
kind: context
name: support
messages:
  - {type: context, name: style}
  - {type: user, content: "{input.question}"}
---
kind: context
name: style
messages:
  - {type: system, content: Write short sentences.}
  - {type: context, name: support} # <- BC207
""",
    good="""\
kind: context
name: support
messages:
  - {type: context, name: style}
  - {type: user, content: "{input.question}"}
---
kind: context
name: style
messages:
  - {type: system, content: Write short sentences.}
""",
    check=checked_by_reader,
)
