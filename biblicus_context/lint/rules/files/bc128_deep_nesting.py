"""BC128: lists and mappings nested too deep."""

from __future__ import annotations

from biblicus_context.lint.engine.finding import Severity
from biblicus_context.lint.engine.rule import Rule, by_the_reader

RULE = Rule(
    code="BC128",
    name="deep-nesting",
    severity=Severity.ERROR,
    finds="Lists and mappings nested deeper than 50 levels.",
    why="No plan needs that many; a file that does was made to harm its readers.",
    instead="Write the plan out, and move long texts into a corpus.",
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
    check=by_the_reader,
)
