"""BC207: contexts that insert each other in a circle."""

from __future__ import annotations

from biblicus_context.lint.engine.finding import Severity
from biblicus_context.lint.engine.rule import Rule, by_the_reader

RULE = Rule(
    code="BC207",
    name="context-circle",
    severity=Severity.ERROR,
    finds="Contexts that insert each other in a circle, or a context that inserts itself.",
    why="Their text would never end; the engine refuses the project.",
    instead="Remove one of the inserts; the finding walks once around the circle.",
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
    check=by_the_reader,
)
