"""BC204: a compactor that is neither declared nor built in."""

from __future__ import annotations

from biblicus_context.lint.engine.finding import Severity
from biblicus_context.lint.engine.rule import Rule, checked_by_reader

RULE = Rule(
    code="BC204",
    name="unknown-compactor",
    severity=Severity.ERROR,
    finds=(
        "A policy, a history or a compactor names a compactor that is neither declared nor built "
        "in."
    ),
    why="Text that exceeds its budget could not be shortened, so the engine rejects the project.",
    instead=(
        "Correct the name, or declare it. List names that are passed from Python under `known` in "
        "the settings."
    ),
    bad="""\
kind: context
name: support
policy:
  input_budget: {max_tokens: 2000}
  compactor: extractiv # <- BC204
messages:
  - {type: system, content: "{input.rules}", shrink: true}
  - {type: user, content: "{input.question}"}
""",
    good="""\
kind: context
name: support
policy:
  input_budget: {max_tokens: 2000}
  compactor: extractive
messages:
  - {type: system, content: "{input.rules}", shrink: true}
  - {type: user, content: "{input.question}"}
""",
    check=checked_by_reader,
)
