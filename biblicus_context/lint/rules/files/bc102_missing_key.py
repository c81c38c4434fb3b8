"""BC102: a mapping that lacks a key it has to have."""

from __future__ import annotations

from biblicus_context.lint.engine.finding import Severity
from biblicus_context.lint.engine.rule import Rule, by_the_reader

RULE = Rule(
    code="BC102",
    name="missing-key",
    severity=Severity.ERROR,
    finds="A mapping that lacks a key it has to have.",
    why="A pack without a name, or a document without a kind, cannot be meant.",
    instead="Add the key.",
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
    check=by_the_reader,
)
