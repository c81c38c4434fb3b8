"""BC131: more documents than a file may hold."""

from __future__ import annotations

from biblicus_context.lint.engine.finding import Severity
from biblicus_context.lint.engine.rule import Rule, by_the_reader

RULE = Rule(
    code="BC131",
    name="many-documents",
    severity=Severity.ERROR,
    finds="More than 10,000 documents in one file.",
    why="Such a file is no set of plans, or was made to harm its readers.",
    instead="Split the file.",
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
