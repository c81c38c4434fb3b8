"""BC130: more keys and values than a plan may have."""

from __future__ import annotations

from biblicus_context.lint.engine.finding import Severity
from biblicus_context.lint.engine.rule import Rule, by_the_reader

RULE = Rule(
    code="BC130",
    name="many-values",
    severity=Severity.ERROR,
    finds="More than 100,000 keys and values in one document; those behind an alias count each time.",
    why="Such a file is no plan, or was made to harm its readers.",
    instead="Write the plan out, and move long texts into a corpus.",
    bad="",
    good="""\
kind: context
name: support
messages:
  - {type: system, content: You are a support agent.}
  - {type: user, content: "{input.question}"}
""",
    check=by_the_reader,
)
