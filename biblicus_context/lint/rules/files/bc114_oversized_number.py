"""BC114: a number larger than any reader keeps exactly."""

from __future__ import annotations

from biblicus_context.lint.engine.finding import Severity
from biblicus_context.lint.engine.rule import Rule, by_the_reader

RULE = Rule(
    code="BC114",
    name="oversized-number",
    severity=Severity.ERROR,
    finds="A whole number beyond 64 bits, or a fraction beyond what a computer keeps.",
    why="Other programs read another number, or fail.",
    instead="Write a smaller number, or quote it to mean text.",
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
    check=by_the_reader,
)
