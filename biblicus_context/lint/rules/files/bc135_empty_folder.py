"""BC135: a folder without plan files."""

from __future__ import annotations

from biblicus_context.lint.engine.finding import Severity
from biblicus_context.lint.engine.rule import Rule, checked_by_reader

RULE = Rule(
    code="BC135",
    name="empty-folder",
    severity=Severity.ERROR,
    finds="A folder contains no `.yaml` file.",
    why="A check that reads no file always succeeds.",
    instead="Pass the folder that contains the plans.",
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
