"""BC208: compactors that use each other in a circle."""

from __future__ import annotations

from biblicus_context.lint.engine.finding import Severity
from biblicus_context.lint.engine.rule import Rule, by_the_reader

RULE = Rule(
    code="BC208",
    name="compactor-circle",
    severity=Severity.ERROR,
    finds="Compactors that name each other, as steps or fallback, in a circle.",
    why="None of them could ever be built; the engine refuses the project.",
    instead="Remove one of the names; the finding walks once around the circle.",
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
    check=by_the_reader,
)
