"""BC117: a merge key whose value is not a mapping."""

from __future__ import annotations

from biblicus_context.lint.engine.finding import Severity
from biblicus_context.lint.engine.rule import Rule, checked_by_reader

RULE = Rule(
    code="BC117",
    name="invalid-merge-key",
    severity=Severity.ERROR,
    finds="The value of a merge key `<<` is not a mapping or a list of mappings.",
    why="Only the keys of a mapping can be merged, so the engine rejects the document.",
    instead="Name one mapping by its alias, or a list of mappings.",
    bad="""\
kind: context
name: support
description: &about Answers questions.
messages:
  - {type: system, content: You are a support agent.}
  - {type: user, content: "{input.question}", <<: *about} # <- BC117
""",
    good="""\
kind: context
name: support
messages:
  - {type: system, content: You are a support agent.}
  - {type: user, content: "{input.question}"}
""",
    check=checked_by_reader,
)
