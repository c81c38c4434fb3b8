"""BC129: more aliases than a plan may have."""

from __future__ import annotations

from biblicus_context.lint.engine.finding import Severity
from biblicus_context.lint.engine.rule import Rule, by_the_reader

RULE = Rule(
    code="BC129",
    name="many-aliases",
    severity=Severity.ERROR,
    finds="More than 100 aliases in one document.",
    why="Aliases of aliases multiply: a page of text could stand for more than any memory holds.",
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
