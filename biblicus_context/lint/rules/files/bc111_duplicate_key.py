"""BC111: a key that appears twice in one mapping."""

from __future__ import annotations

from biblicus_context.lint.engine.finding import Severity
from biblicus_context.lint.engine.rule import Rule, checked_by_reader

RULE = Rule(
    code="BC111",
    name="duplicate-key",
    severity=Severity.ERROR,
    finds="A key appears more than once in the same mapping.",
    why="Most YAML readers silently keep the last value, so the first one has no effect.",
    instead="Keep one of the two keys.",
    bad="""\
kind: context
name: support
description: Answers questions.
messages:
  - {type: user, content: "{input.question}"}
description: Answers a customer's question. # <- BC111
""",
    good="""\
kind: context
name: support
description: Answers a customer's question.
messages:
  - {type: user, content: "{input.question}"}
""",
    check=checked_by_reader,
)
