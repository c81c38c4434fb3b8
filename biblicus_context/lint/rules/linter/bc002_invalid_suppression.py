"""BC002: a `# lint:` comment that cannot be understood."""

from __future__ import annotations

from biblicus_context.lint.engine.finding import Severity
from biblicus_context.lint.engine.rule import Rule, checked_by_linter

RULE = Rule(
    code="BC002",
    name="invalid-suppression",
    severity=Severity.WARNING,
    finds="A comment that begins with `# lint:` cannot be understood, or names an unknown rule.",
    why="The comment suppresses nothing, although its author expects it to.",
    instead=(
        "Write `# lint: allow CODE reason` at the end of the line or on the line above, or `# "
        "lint: allow-file CODE reason` for the whole file. Separate several codes or names with "
        "commas."
    ),
    bad="""\
kind: context
name: support
messages:
  - {type: system, content: You are a support agent.} # lint: ignore this # <- BC002
  - {type: user, content: "{input.question}"} # lint: allow BC999 a long story # <- BC002
""",
    good="""\
kind: context
name: support
messages:
  - {type: system, content: You are a support agent.}
  - {type: user, content: "{input.question}"}
""",
    check=checked_by_linter,
)
