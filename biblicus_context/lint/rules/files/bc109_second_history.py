"""BC109: a plan that places the history twice."""

from __future__ import annotations

from biblicus_context.lint.engine.finding import Severity
from biblicus_context.lint.engine.rule import Rule, by_the_reader

RULE = Rule(
    code="BC109",
    name="second-history",
    severity=Severity.ERROR,
    finds="A second `type: history` in one context.",
    why="The same turns would be sent twice, and paid for twice.",
    instead="Keep the one that stands where the conversation belongs.",
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
    check=by_the_reader,
)
