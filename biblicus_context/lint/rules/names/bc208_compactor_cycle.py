"""BC208: compactors that use each other in a cycle."""

from __future__ import annotations

from biblicus_context.lint.engine.finding import Severity
from biblicus_context.lint.engine.rule import Rule, checked_by_reader

RULE = Rule(
    code="BC208",
    name="compactor-cycle",
    severity=Severity.ERROR,
    finds="A compactor uses itself as a step or fallback, directly or through other compactors.",
    why="None of the compactors can be built, so the engine rejects the project.",
    instead="Remove one of the names; the finding shows the whole cycle.",
    bad="""\
kind: context
name: support
policy:
  input_budget: {max_tokens: 2000}
  compactor: careful
messages:
  - {type: system, content: "{input.rules}", shrink: true}
  - {type: user, content: "{input.question}"}
---
kind: compactor
name: careful
config: {type: chain, steps: [drop_blocks, quick]}
---
kind: compactor
name: quick
config: {type: chain, steps: [careful, truncate]} # <- BC208
""",
    good="""\
kind: context
name: support
policy:
  input_budget: {max_tokens: 2000}
  compactor: careful
messages:
  - {type: system, content: "{input.rules}", shrink: true}
  - {type: user, content: "{input.question}"}
---
kind: compactor
name: careful
config: {type: chain, steps: [drop_blocks, quick]}
---
kind: compactor
name: quick
config: {type: chain, steps: [extractive, truncate]}
""",
    check=checked_by_reader,
)
