"""BC205: a name that two documents of one kind declare."""

from __future__ import annotations

from biblicus_context.lint.engine.finding import Severity
from biblicus_context.lint.engine.rule import Rule, checked_by_reader

RULE = Rule(
    code="BC205",
    name="duplicate-name",
    severity=Severity.ERROR,
    finds="Two documents of the same kind have the same name.",
    why="The engine cannot know which one is meant, so it rejects the project.",
    instead="Rename one of them; the finding names the place of the other.",
    bad="""\
kind: context
name: support
messages:
  - {type: user, content: "{input.question}"}
---
kind: context
name: support # <- BC205
messages:
  - {type: user, content: "Question: {input.question}"}
""",
    good="""\
kind: context
name: support
messages:
  - {type: user, content: "{input.question}"}
---
kind: context
name: support_by_mail
messages:
  - {type: user, content: "Question: {input.question}"}
""",
    check=checked_by_reader,
)
