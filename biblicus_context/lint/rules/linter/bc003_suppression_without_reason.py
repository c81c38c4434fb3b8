"""BC003: a suppression comment without a reason."""

from __future__ import annotations

from biblicus_context.lint.engine.finding import Severity
from biblicus_context.lint.engine.rule import Rule, checked_by_linter

RULE = Rule(
    code="BC003",
    name="suppression-without-reason",
    severity=Severity.WARNING,
    finds="A comment `# lint: allow CODE` gives no reason.",
    why="Without a reason nobody knows later whether the suppression can be removed.",
    instead="Write the reason after the code.",
    bad="""\
kind: context
name: support
description: off # lint: allow BC141 # <- BC003
messages:
  - {type: system, content: You are a support agent.}
  - {type: user, content: "{input.question}"}
""",
    good="""\
kind: context
name: support
description: off # lint: allow BC141 the name of a state in our support tool
messages:
  - {type: system, content: You are a support agent.}
  - {type: user, content: "{input.question}"}
""",
    check=checked_by_linter,
)
