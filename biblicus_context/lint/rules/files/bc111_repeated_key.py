"""BC111: a key that stands twice in one mapping."""

from __future__ import annotations

from biblicus_context.lint.engine.finding import Severity
from biblicus_context.lint.engine.rule import Rule, by_the_reader

RULE = Rule(
    code="BC111",
    name="repeated-key",
    severity=Severity.ERROR,
    finds="A key that stands twice in one mapping.",
    why="Most readers of YAML keep the last one without a word, so the first has no effect.",
    instead="Keep one of the two.",
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
    check=by_the_reader,
)
