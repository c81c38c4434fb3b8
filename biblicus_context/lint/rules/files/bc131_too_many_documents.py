"""BC131: more documents than allowed in one file."""

from __future__ import annotations

from biblicus_context.lint.engine.finding import Severity
from biblicus_context.lint.engine.rule import Rule, checked_by_reader

RULE = Rule(
    code="BC131",
    name="too-many-documents",
    severity=Severity.ERROR,
    finds="A file has more than 10,000 documents.",
    why=(
        "No project needs this many documents in one file, and such files can be used to attack "
        "YAML readers."
    ),
    instead="Split the file.",
    bad="",
    good="""\
kind: context
name: support
messages:
  - {type: system, content: You are a support agent.}
  - {type: user, content: "{input.question}"}
""",
    check=checked_by_reader,
)
