"""BC135: a folder without a single plan."""

from __future__ import annotations

from biblicus_context.lint.engine.finding import Severity
from biblicus_context.lint.engine.rule import Rule, by_the_reader

RULE = Rule(
    code="BC135",
    name="empty-folder",
    severity=Severity.ERROR,
    finds="A folder that was given and holds no .yaml file.",
    why="A check that looks at nothing always succeeds.",
    instead="Name the folder of the plans.",
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
