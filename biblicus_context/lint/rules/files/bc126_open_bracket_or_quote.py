"""BC126: a bracket or a quote that is not closed."""

from __future__ import annotations

from biblicus_context.lint.engine.finding import Severity
from biblicus_context.lint.engine.rule import Rule, by_the_reader

RULE = Rule(
    code="BC126",
    name="open-bracket-or-quote",
    severity=Severity.ERROR,
    finds="A brace, a bracket or a quote that is opened and not closed.",
    why="What stands behind it, up to the end of the document, would belong to it.",
    instead="Close it; quote text that begins with a brace or a bracket.",
    bad="""\
kind: context
name: support
description: "Answers questions. # <- BC126
messages: []
""",
    good="""\
kind: context
name: support
description: "Answers questions."
messages:
  - {type: user, content: "{input.question}"}
""",
    check=by_the_reader,
)
