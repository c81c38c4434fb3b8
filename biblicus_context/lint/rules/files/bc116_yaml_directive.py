"""BC116: a YAML directive."""

from __future__ import annotations

from biblicus_context.lint.engine.finding import Severity
from biblicus_context.lint.engine.rule import Rule, checked_by_reader

RULE = Rule(
    code="BC116",
    name="yaml-directive",
    severity=Severity.ERROR,
    finds="A line begins with `%`, such as `%YAML 1.2`.",
    why=(
        "The engine does not support YAML directives, and it takes every line that begins with `%` "
        "for one."
    ),
    instead="Remove the line. If it belongs to a text, indent it.",
    bad="""\
%YAML 1.2 # <- BC116
---
kind: context
name: support
messages:
  - {type: user, content: "{input.question}"}
""",
    good="""\
kind: context
name: support
messages:
  - {type: user, content: "{input.question}"}
""",
    check=checked_by_reader,
)
