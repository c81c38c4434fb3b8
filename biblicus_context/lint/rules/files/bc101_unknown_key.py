"""BC101: a key that means nothing where it stands."""

from __future__ import annotations

from biblicus_context.lint.engine.finding import Severity
from biblicus_context.lint.engine.rule import Rule, by_the_reader

RULE = Rule(
    code="BC101",
    name="unknown-key",
    severity=Severity.ERROR,
    finds="A key that means nothing where it stands, such as a misspelt one.",
    why="What an author wrote under it would have no effect. The engine refuses the document.",
    instead="Write the key that is meant; the nearest one is named.",
    bad="""\
kind: context
name: support
polcy: small # <- BC101
messages:
  - {type: system, contnt: You are a support agent.} # <- BC101
  - {type: user, content: "{input.question}"}
---
kind: policy
name: small
input_budget: {max_tokens: 2000}
""",
    good="""\
kind: context
name: support
policy: small
messages:
  - {type: system, content: You are a support agent.}
  - {type: user, content: "{input.question}"}
---
kind: policy
name: small
input_budget: {max_tokens: 2000}
""",
    check=by_the_reader,
)
