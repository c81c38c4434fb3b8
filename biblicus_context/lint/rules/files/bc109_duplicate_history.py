"""BC109: a context that places the history twice."""

from __future__ import annotations

from biblicus_context.lint.engine.finding import Severity
from biblicus_context.lint.engine.rule import Rule, checked_by_reader

RULE = Rule(
    code="BC109",
    name="duplicate-history",
    severity=Severity.ERROR,
    finds="A context has more than one `type: history` directive.",
    why="The same turns would be sent and paid for twice, so the engine rejects the context.",
    instead="Keep one history directive, at the place of the conversation.",
    bad="""\
kind: context
name: support
messages:
  - {type: system, content: You are a support agent.}
  - {type: history, keep_last: 2}
  - {type: history} # <- BC109
  - {type: user, content: "{input.question}"}
""",
    good="""\
kind: context
name: support
messages:
  - {type: system, content: You are a support agent.}
  - {type: history, keep_last: 2}
  - {type: user, content: "{input.question}"}
""",
    check=checked_by_reader,
)
