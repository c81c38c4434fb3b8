"""BC202: a policy that is not declared."""

from __future__ import annotations

from biblicus_context.lint.engine.finding import Severity
from biblicus_context.lint.engine.rule import Rule, checked_by_reader

RULE = Rule(
    code="BC202",
    name="unknown-policy",
    severity=Severity.ERROR,
    finds="A context names a policy that is not declared.",
    why="Without its policy the context has no budget, so the engine rejects the project.",
    instead=(
        "Correct the name, or declare it. List names that are passed from Python under `known` in "
        "the settings."
    ),
    bad="""\
kind: context
name: support
policy: smal # <- BC202
messages:
  - {type: history}
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
  - {type: history}
  - {type: user, content: "{input.question}"}
---
kind: policy
name: small
input_budget: {max_tokens: 2000}
""",
    check=checked_by_reader,
)
