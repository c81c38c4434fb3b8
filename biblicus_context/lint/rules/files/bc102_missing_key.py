"""BC102: a mapping without a required key."""

from __future__ import annotations

from biblicus_context.lint.engine.finding import Severity
from biblicus_context.lint.engine.rule import Rule, checked_by_reader

RULE = Rule(
    code="BC102",
    name="missing-key",
    severity=Severity.ERROR,
    finds="A mapping lacks a required key.",
    why=(
        "The engine rejects the document: it cannot place a pack without a name, or load a "
        "document without a kind."
    ),
    instead="Add the key that the finding names.",
    bad="""\
name: support # <- BC102
messages:
  - {type: user, content: "{input.question}"}
---
kind: context
name: short
messages:
  - {type: context, weight: 2} # <- BC102
  - {type: user, content: "{input.question}"}
""",
    good="""\
kind: context
name: support
messages:
  - {type: user, content: "{input.question}"}
---
kind: context
name: short
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
