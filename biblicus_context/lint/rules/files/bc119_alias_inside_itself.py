"""BC119: an alias inside of what it stands for."""

from __future__ import annotations

from biblicus_context.lint.engine.finding import Severity
from biblicus_context.lint.engine.rule import Rule, by_the_reader

RULE = Rule(
    code="BC119",
    name="alias-inside-itself",
    severity=Severity.ERROR,
    finds="An alias inside of the list or mapping that carries its anchor.",
    why="It would never end.",
    instead="Write out what is meant.",
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
    check=by_the_reader,
)
