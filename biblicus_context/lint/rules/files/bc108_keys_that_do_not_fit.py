"""BC108: keys that exclude each other, or need each other."""

from __future__ import annotations

from biblicus_context.lint.engine.finding import Severity
from biblicus_context.lint.engine.rule import Rule, by_the_reader

RULE = Rule(
    code="BC108",
    name="keys-that-do-not-fit",
    severity=Severity.ERROR,
    finds=(
        "Keys that exclude each other or need each other: two texts in one message, a budget of "
        "nothing, packs beside messages."
    ),
    why="Which of them is meant cannot be known.",
    instead="Keep one of the keys, or add the one that the finding names.",
    bad="""\
kind: context
name: support
policy:
  input_budget: {} # <- BC108
messages:
  - {type: system, vars: {a: 1}} # <- BC108
  - type: user
    content: "{input.question}"
    template: "{{ input.question }}" # <- BC108
""",
    good="""\
kind: context
name: support
policy:
  input_budget: {max_tokens: 2000}
messages:
  - {type: system, content: You are a support agent.}
  - {type: history}
  - {type: user, content: "{input.question}"}
""",
    check=by_the_reader,
)
