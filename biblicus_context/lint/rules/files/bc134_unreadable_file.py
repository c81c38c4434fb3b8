"""BC134: a file that cannot be read."""

from __future__ import annotations

from biblicus_context.lint.engine.finding import Severity
from biblicus_context.lint.engine.rule import Rule, by_the_reader

RULE = Rule(
    code="BC134",
    name="unreadable-file",
    severity=Severity.ERROR,
    finds="A file or folder that cannot be opened, or has gone since it was listed.",
    why="What it declares is not known, so that other files may seem to use unknown names.",
    instead="Put its permissions right, or name another path.",
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
