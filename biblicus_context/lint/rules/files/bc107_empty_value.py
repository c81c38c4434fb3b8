"""BC107: an empty text or list where a value is required."""

from __future__ import annotations

from biblicus_context.lint.engine.finding import Severity
from biblicus_context.lint.engine.rule import Rule, checked_by_reader

RULE = Rule(
    code="BC107",
    name="empty-value",
    severity=Severity.ERROR,
    finds="A name or a list is empty where a value is required.",
    why=(
        "The engine rejects the document: nothing can refer to an empty name, and an empty list of "
        "alternatives leaves nothing to place."
    ),
    instead="Fill in the value, or remove the entry it belongs to.",
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
    check=checked_by_reader,
)
