"""BC114: a number that is too large to be stored exactly."""

from __future__ import annotations

from biblicus_context.lint.engine.finding import Severity
from biblicus_context.lint.engine.rule import Rule, checked_by_reader

RULE = Rule(
    code="BC114",
    name="number-too-large",
    severity=Severity.ERROR,
    finds="A whole number exceeds 64 bits, or a decimal number exceeds the range of a double.",
    why="Programs round such a number in different ways, or fail.",
    instead="Write a smaller number, or put it in quotes to make it text.",
    bad="""\
kind: context
name: support
policy:
  input_budget: {max_tokens: 99999999999999999999} # <- BC114
messages:
  - {type: history}
  - {type: user, content: "{input.question}"}
""",
    good="""\
kind: context
name: support
policy:
  input_budget: {max_tokens: 200000}
messages:
  - {type: history}
  - {type: user, content: "{input.question}"}
""",
    check=checked_by_reader,
)
