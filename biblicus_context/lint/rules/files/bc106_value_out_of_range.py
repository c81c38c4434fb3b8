"""BC106: a number that is too small or too large."""

from __future__ import annotations

from biblicus_context.lint.engine.finding import Severity
from biblicus_context.lint.engine.rule import Rule, checked_by_reader

RULE = Rule(
    code="BC106",
    name="value-out-of-range",
    severity=Severity.ERROR,
    finds="A number is below the minimum or above the maximum of its key.",
    why=(
        "The engine rejects the document: no plan can work with a window of 0 tokens, or with a "
        "negative ratio."
    ),
    instead="Write a number within the limit that the finding names.",
    bad="""\
kind: context
name: support
policy:
  input_budget: {max_tokens: 0} # <- BC106
messages:
  - {type: system, content: You are a support agent.}
  - {type: history, keep_last: -1} # <- BC106
  - {type: user, content: "{input.question}"}
""",
    good="""\
kind: context
name: support
policy:
  input_budget: {max_tokens: 2000}
messages:
  - {type: system, content: You are a support agent.}
  - {type: history, keep_last: 1}
  - {type: user, content: "{input.question}"}
""",
    check=checked_by_reader,
)
