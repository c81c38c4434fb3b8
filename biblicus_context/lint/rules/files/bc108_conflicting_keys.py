"""BC108: keys that exclude or require each other."""

from __future__ import annotations

from biblicus_context.lint.engine.finding import Severity
from biblicus_context.lint.engine.rule import Rule, checked_by_reader

RULE = Rule(
    code="BC108",
    name="conflicting-keys",
    severity=Severity.ERROR,
    finds=(
        "Keys of one mapping exclude each other, or one key requires another, such as `content` "
        "next to `template`, or an empty budget."
    ),
    why="The engine rejects the document; it does not guess which key is meant.",
    instead="Keep one of the keys, or add the key that the finding names.",
    bad="""\
kind: context
name: support
policy:
  input_budget: {} # <- BC108
messages:
  - {type: system, vars: {a: 1}} # <- BC108
  - {type: context, name: commits, format: {fence: true}}
  - type: user
    content: "{input.question}"
    template: "{{ input.question }}" # <- BC108
---
kind: retriever
name: commits
corpus: history
---
kind: corpus
name: history
config:
  root: ..
  source: git
  include: [docs/] # <- BC108
""",
    good="""\
kind: context
name: support
policy:
  input_budget: {max_tokens: 2000}
messages:
  - {type: system, content: You are a support agent.}
  - {type: context, name: commits, format: {fence: true}}
  - {type: history}
  - {type: user, content: "{input.question}"}
---
kind: retriever
name: commits
corpus: history
---
kind: corpus
name: history
config:
  root: ..
  source: git
  paths: [docs/]
""",
    check=checked_by_reader,
)
