"""BC101: a key that is not known where it appears."""

from __future__ import annotations

from biblicus_context.lint.engine.finding import Severity
from biblicus_context.lint.engine.rule import Rule, checked_by_reader

RULE = Rule(
    code="BC101",
    name="unknown-key",
    severity=Severity.ERROR,
    finds="A key is not known in the mapping where it appears, often because it is misspelled.",
    why=(
        "The engine rejects the document, because a value under an unknown key would have no "
        "effect."
    ),
    instead="Write a known key; the finding suggests the nearest one.",
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
    check=checked_by_reader,
)
