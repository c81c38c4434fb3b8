"""BC205: a name that two documents of one kind declare."""

from __future__ import annotations

from biblicus_context.lint.engine.finding import Severity
from biblicus_context.lint.engine.rule import Rule, by_the_reader

RULE = Rule(
    code="BC205",
    name="repeated-name",
    severity=Severity.ERROR,
    finds="A name that a document of the same kind declares already, in this file or another one.",
    why="Which of them is meant depended on the order of files.",
    instead="Rename one of them; the finding says where the other stands.",
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
    check=by_the_reader,
)
