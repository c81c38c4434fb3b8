"""BC003: a comment that allows something and does not say why."""

from __future__ import annotations

from biblicus_context.lint.engine.finding import Severity
from biblicus_context.lint.engine.rule import Rule, by_the_linter

RULE = Rule(
    code="BC003",
    name="unexplained-allowance",
    severity=Severity.WARNING,
    finds="A comment `# lint: allow CODE` without a reason.",
    why="Nobody can tell later whether it may go.",
    instead="Write the reason behind the code.",
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
description: off # lint: allow BC141 it is what our support calls its state
messages:
  - {type: system, content: You are a support agent.}
  - {type: user, content: "{input.question}"}
""",
    check=by_the_linter,
)
