"""BC134: a file or folder that cannot be read."""

from __future__ import annotations

from biblicus_context.lint.engine.finding import Severity
from biblicus_context.lint.engine.rule import Rule, checked_by_reader

RULE = Rule(
    code="BC134",
    name="unreadable-file",
    severity=Severity.ERROR,
    finds="A file or folder does not exist or cannot be opened.",
    why="Its declarations are missing, so names that other files use can be reported as unknown.",
    instead="Correct the path, or the permissions of the file.",
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
