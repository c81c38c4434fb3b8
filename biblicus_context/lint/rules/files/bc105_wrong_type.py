"""BC105: a value of the wrong type."""

from __future__ import annotations

from biblicus_context.lint.engine.finding import Severity
from biblicus_context.lint.engine.rule import Rule, checked_by_reader

RULE = Rule(
    code="BC105",
    name="wrong-type",
    severity=Severity.ERROR,
    finds="A value has the wrong type, such as a number where text is required.",
    why=(
        'Values are never converted silently: `"8000"` in quotes is text, `yes` is text, and a '
        "value that begins with a brace is a mapping."
    ),
    instead="Write a value of the type that the finding names; put text in quotes.",
    bad="""\
kind: context
name: support
policy:
  input_budget: {max_tokens: "2000"} # <- BC105
messages:
  - {type: system, content: 42} # <- BC105
  - {type: history, pin: yes} # <- BC105
  - {type: user, content: {input.question}} # <- BC105
""",
    good="""\
kind: context
name: support
policy:
  input_budget: {max_tokens: 2000}
messages:
  - {type: system, content: "42"}
  - {type: history}
  - {type: user, content: "{input.question}"}
""",
    check=checked_by_reader,
)
