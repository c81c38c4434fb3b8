"""BC107: an empty text or list where there has to be something."""

from __future__ import annotations

from biblicus_context.lint.engine.finding import Severity
from biblicus_context.lint.engine.rule import Rule, by_the_reader

RULE = Rule(
    code="BC107",
    name="empty-value",
    severity=Severity.ERROR,
    finds="A name of no letters, or a list of no entries, where there has to be something.",
    why="An empty name cannot be used, and of no alternatives none can be placed.",
    instead="Fill it, or remove what it belongs to.",
    bad="""\
kind: context
name: "" # <- BC107
messages:
  - {type: system, content: You are a support agent.}
  - first: [] # <- BC107
  - {type: user, content: "{input.question}"}
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
