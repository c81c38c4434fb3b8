"""BC112: a key that is a number, a list or a mapping."""

from __future__ import annotations

from biblicus_context.lint.engine.finding import Severity
from biblicus_context.lint.engine.rule import Rule, by_the_reader

RULE = Rule(
    code="BC112",
    name="key-that-is-no-text",
    severity=Severity.ERROR,
    finds="A key that is a number, true, false, null, a list or a mapping.",
    why=(
        "Plans are named values, as in JSON. Most often it is text that begins with braces and "
        "lacks its quotes."
    ),
    instead="Quote the key; quote text that begins with a brace or a bracket.",
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
    check=by_the_reader,
)
