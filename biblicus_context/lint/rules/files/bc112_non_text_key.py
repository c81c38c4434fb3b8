"""BC112: a key that is not text."""

from __future__ import annotations

from biblicus_context.lint.engine.finding import Severity
from biblicus_context.lint.engine.rule import Rule, checked_by_reader

RULE = Rule(
    code="BC112",
    name="non-text-key",
    severity=Severity.ERROR,
    finds="A key is a number, a boolean, null, a list or a mapping.",
    why=(
        "The engine accepts text keys only, as JSON does. Most often the value is text that begins "
        "with a brace and lacks quotes."
    ),
    instead="Put the key in quotes. Put text that begins with a brace or a bracket in quotes.",
    bad="""\
kind: context
name: support
messages:
  - type: system
    content: Priority {{ level }}.
    vars: {level: high, 1: low} # <- BC112
  - type: user
    template: {{ input.question }} # <- BC112
""",
    good="""\
kind: context
name: support
messages:
  - type: system
    content: Write short sentences.
  - type: user
    template: "{{ input.question }}"
""",
    check=checked_by_reader,
)
