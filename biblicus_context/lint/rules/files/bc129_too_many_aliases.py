"""BC129: more aliases than allowed in one document."""

from __future__ import annotations

from biblicus_context.lint.engine.finding import Severity
from biblicus_context.lint.engine.rule import Rule, checked_by_reader

RULE = Rule(
    code="BC129",
    name="too-many-aliases",
    severity=Severity.ERROR,
    finds="A document has more than 100 aliases.",
    why=(
        "Aliases of aliases multiply: one page of YAML can expand to more data than fits into "
        "memory."
    ),
    instead="Write out the values instead of the aliases, and move long texts into a corpus.",
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
