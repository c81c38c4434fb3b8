"""BC116: a line that begins with a percent sign."""

from __future__ import annotations

from biblicus_context.lint.engine.finding import Severity
from biblicus_context.lint.engine.rule import Rule, by_the_reader

RULE = Rule(
    code="BC116",
    name="yaml-directive",
    severity=Severity.ERROR,
    finds="A YAML directive: a line that begins with `%`, such as `%YAML 1.2`.",
    why=(
        "Plans are always read by the same rules; a directive could only promise otherwise. In text "
        "it is a line at the margin."
    ),
    instead="Remove the line, or indent the text it belongs to.",
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
    check=by_the_reader,
)
