"""BC002: a lint comment that allows nothing."""

from __future__ import annotations

from biblicus_context.lint.engine.finding import Severity
from biblicus_context.lint.engine.rule import Rule, by_the_linter

RULE = Rule(
    code="BC002",
    name="unclear-allowance",
    severity=Severity.WARNING,
    finds=(
        "A comment that begins with `# lint:` and cannot be understood, or names a rule that is not "
        "there."
    ),
    why="Its author believes that something is allowed, and it is not.",
    instead=(
        "Write `# lint: allow CODE reason` at the end of a line or above it, or `# lint: allow-file "
        "CODE reason`; several codes or names are separated by commas."
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
    check=by_the_linter,
)
