"""BC104: a word that is none of those that can stand here."""

from __future__ import annotations

from biblicus_context.lint.engine.finding import Severity
from biblicus_context.lint.engine.rule import Rule, by_the_reader

RULE = Rule(
    code="BC104",
    name="unknown-value",
    severity=Severity.ERROR,
    finds="A value that is none of those that can stand under its key.",
    why="The engine refuses the document rather than guess what is meant.",
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
    check=by_the_reader,
)
