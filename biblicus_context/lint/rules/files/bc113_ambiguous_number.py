"""BC113: a number that YAML readers interpret differently."""

from __future__ import annotations

from biblicus_context.lint.engine.finding import Severity
from biblicus_context.lint.engine.rule import Rule, checked_by_reader

RULE = Rule(
    code="BC113",
    name="ambiguous-number",
    severity=Severity.ERROR,
    finds="A number has a leading zero, is octal or hexadecimal, or is `.inf` or `.nan`.",
    why=(
        "YAML readers disagree: `010` is 8, 10 or text, so an editor and the engine would see "
        "different plans."
    ),
    instead="Write a decimal number without leading zeros, or put it in quotes to make it text.",
    bad="""\
kind: context
name: support
policy:
  input_budget: {max_tokens: 0x7D0} # <- BC113
messages:
  - {type: system, content: You are a support agent.}
  - {type: history, keep_last: 02} # <- BC113
  - {type: user, content: "{input.question}"}
""",
    good="""\
kind: context
name: support
policy:
  input_budget: {max_tokens: 2000}
messages:
  - {type: system, content: You are a support agent.}
  - {type: history, keep_last: 2}
  - {type: user, content: "{input.question}"}
""",
    check=checked_by_reader,
)
