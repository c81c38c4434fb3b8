"""BC130: more keys and values than allowed in one document."""

from __future__ import annotations

from biblicus_context.lint.engine.finding import Severity
from biblicus_context.lint.engine.rule import Rule, checked_by_reader

RULE = Rule(
    code="BC130",
    name="too-many-values",
    severity=Severity.ERROR,
    finds=(
        "A document has more than 100,000 keys and values; the values of an alias count each time "
        "it is used."
    ),
    why="No plan needs this many values, and such files can be used to attack YAML readers.",
    instead="Split the plan, and move long texts into a corpus.",
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
