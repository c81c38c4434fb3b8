"""BC210: a format that is not declared."""

from __future__ import annotations

from biblicus_context.lint.engine.finding import Severity
from biblicus_context.lint.engine.rule import Rule, checked_by_reader
from biblicus_context.lint.rules.example_parts import KNOWLEDGE_BASE

RULE = Rule(
    code="BC210",
    name="unknown-format",
    severity=Severity.ERROR,
    finds="A pack names a format that is not declared.",
    why="Nobody knows how the pack is written, so the engine rejects the project.",
    instead=(
        "Correct the name, or declare it. List names that are passed from Python under `known` in "
        "the settings."
    ),
    bad="""\
kind: context
name: support
messages:
  - {type: context, name: kb, format: memory} # <- BC210
  - {type: user, content: "{input.question}"}
---
kind: format
name: memories
fence: true
item: "- {content}"
"""
    + KNOWLEDGE_BASE,
    good="""\
kind: context
name: support
messages:
  - {type: context, name: kb, format: memories}
  - {type: user, content: "{input.question}"}
---
kind: format
name: memories
fence: true
item: "- {content}"
"""
    + KNOWLEDGE_BASE,
    check=checked_by_reader,
)
