"""BC119: an alias inside its own anchor."""

from __future__ import annotations

from biblicus_context.lint.engine.finding import Severity
from biblicus_context.lint.engine.rule import Rule, checked_by_reader

RULE = Rule(
    code="BC119",
    name="recursive-alias",
    severity=Severity.ERROR,
    finds="An alias appears inside the list or mapping that it refers to.",
    why="The value would contain itself and never end.",
    instead="Write out the value instead of the alias.",
    bad="""\
kind: context
name: support
messages: &all
  - {type: system, content: You are a support agent.}
  - first: *all # <- BC119
""",
    good="""\
kind: context
name: support
policy: {input_budget: {max_tokens: 2000}}
messages:
  - {type: system, content: You are a support agent.}
  - first: [Use short sentences., Be short.]
  - {type: user, content: "{input.question}"}
""",
    check=checked_by_reader,
)
