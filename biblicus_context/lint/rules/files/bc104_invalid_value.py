"""BC104: a value that is not among the allowed ones."""

from __future__ import annotations

from biblicus_context.lint.engine.finding import Severity
from biblicus_context.lint.engine.rule import Rule, checked_by_reader

RULE = Rule(
    code="BC104",
    name="invalid-value",
    severity=Severity.ERROR,
    finds=(
        "A value is not among the values that its key accepts, or is not written as its key "
        "requires, such as `since` of a corpus."
    ),
    why="The engine rejects the document; it does not guess which value is meant.",
    instead="Write one of the values that the finding lists, or one like its examples.",
    bad="""\
kind: context
name: support
policy:
  input_budget: {max_tokens: 2000}
  overflow: compct # <- BC104
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
config: {root: .., source: git, since: last year} # <- BC104
""",
    good="""\
kind: context
name: support
policy:
  input_budget: {max_tokens: 2000}
  overflow: error
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
config: {root: .., source: git, since: 365d}
""",
    check=checked_by_reader,
)
