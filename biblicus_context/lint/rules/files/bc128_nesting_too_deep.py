"""BC128: lists and mappings that are nested too deeply."""

from __future__ import annotations

from biblicus_context.lint.engine.finding import Severity
from biblicus_context.lint.engine.rule import Rule, checked_by_reader

RULE = Rule(
    code="BC128",
    name="nesting-too-deep",
    severity=Severity.ERROR,
    finds="Lists and mappings are nested more than 50 levels deep.",
    why="No plan needs this depth, and deeply nested files can be used to attack YAML readers.",
    instead="Use fewer levels, and move long texts into a corpus.",
    bad="""\
kind: context
name: support
messages:
  - {type: user, content: Hello, vars: {a: [[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]}} # <- BC128
""",
    good="""\
kind: context
name: support
messages:
  - {type: system, content: You are a support agent.}
  - {type: user, content: "{input.question}"}
""",
    check=checked_by_reader,
)
