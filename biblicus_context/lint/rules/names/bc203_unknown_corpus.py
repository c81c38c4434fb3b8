"""BC203: a corpus that is not declared."""

from __future__ import annotations

from biblicus_context.lint.engine.finding import Severity
from biblicus_context.lint.engine.rule import Rule, checked_by_reader

RULE = Rule(
    code="BC203",
    name="unknown-corpus",
    severity=Severity.ERROR,
    finds="A retriever names a corpus that is not declared.",
    why="The retriever has nothing to search, so the engine rejects the project.",
    instead=(
        "Correct the name, or declare it. List names that are passed from Python under `known` in "
        "the settings."
    ),
    bad="""\
kind: context
name: support
messages:
  - {type: context, name: kb, format: {fence: true}}
  - {type: user, content: "{input.question}"}
---
kind: retriever
name: kb
corpus: handbok # <- BC203
config: {query: "{input.question}"}
---
kind: corpus
name: handbook
config: {root: handbook}
""",
    good="""\
kind: context
name: support
messages:
  - {type: context, name: kb, format: {fence: true}}
  - {type: user, content: "{input.question}"}
---
kind: retriever
name: kb
corpus: handbook
config: {query: "{input.question}"}
---
kind: corpus
name: handbook
config: {root: handbook}
""",
    check=checked_by_reader,
)
