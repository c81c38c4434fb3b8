"""BC126: a bracket, brace or quote that is not closed."""

from __future__ import annotations

from biblicus_context.lint.engine.finding import Severity
from biblicus_context.lint.engine.rule import Rule, checked_by_reader

RULE = Rule(
    code="BC126",
    name="unclosed-bracket-or-quote",
    severity=Severity.ERROR,
    finds="A brace, a bracket or a quote is opened and never closed.",
    why=(
        "Everything up to the end of the document would belong to it, so the document cannot be "
        "read."
    ),
    instead="Close it. Put text that begins with a brace or a bracket in quotes.",
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
    check=checked_by_reader,
)
