"""BC104: a value that is not among the allowed ones."""

from __future__ import annotations

from biblicus_context.lint.engine.finding import Severity
from biblicus_context.lint.engine.rule import Rule, checked_by_reader

RULE = Rule(
    code="BC104",
    name="invalid-value",
    severity=Severity.ERROR,
    finds="A value is not among the values that its key accepts.",
    why="The engine rejects the document; it does not guess which value is meant.",
    instead="Write one of the values that the finding lists.",
    bad="""\
kind: context
name: support
policy:
  input_budget: {max_tokens: 2000}
  overflow: compct # <- BC104
messages:
  - {type: system, content: You are a support agent.}
  - {type: history}
  - {type: user, content: "{input.question}"}
""",
    good="""\
kind: context
name: support
policy:
  input_budget: {max_tokens: 2000}
  overflow: error
messages:
  - {type: system, content: You are a support agent.}
  - {type: history}
  - {type: user, content: "{input.question}"}
""",
    check=checked_by_reader,
)
