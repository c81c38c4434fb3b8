"""BC209: combined retrievers that are sources of each other."""

from __future__ import annotations

from typing import Final

from biblicus_context.lint.engine.finding import Severity
from biblicus_context.lint.engine.rule import Rule, checked_by_reader
from biblicus_context.lint.rules.example_parts import OWN_CORPUS

_NOTES: Final = """\
---
kind: retriever
name: notes
corpus: handbook
config: {retriever_id: hybrid}
"""

RULE = Rule(
    code="BC209",
    name="retriever-cycle",
    severity=Severity.ERROR,
    finds="A combined retriever is a source of itself, directly or through other combined ones.",
    why="It would be asked without end, so the engine rejects the project.",
    instead="Remove one of the sources; the finding shows the whole cycle.",
    bad="""\
kind: retriever
name: kb
config: {retriever_id: combined, of: [notes, mine]}
---
kind: retriever
name: mine
config:
  retriever_id: combined
  of:
    - kb # <- BC209
"""
    + _NOTES
    + OWN_CORPUS,
    good="""\
kind: retriever
name: kb
config: {retriever_id: combined, of: [notes, mine]}
---
kind: retriever
name: mine
corpus: handbook
config: {retriever_id: recent}
"""
    + _NOTES
    + OWN_CORPUS,
    check=checked_by_reader,
)
