"""BC220: a retriever that is like no other retriever of its file."""

from __future__ import annotations

from typing import Final

from biblicus_context.lint.engine.finding import Severity
from biblicus_context.lint.engine.rule import Rule, checked_by_reader

_CORPUS: Final = """\
---
kind: corpus
name: handbook
config: {root: handbook}
"""

RULE = Rule(
    code="BC220",
    name="invalid-like",
    severity=Severity.ERROR,
    finds=(
        "The `like` of a retriever, or of a source in it, names no other retriever of the same "
        "file, or retrievers are like each other in a cycle."
    ),
    why="Nobody knows the settings that the retriever takes over, so the engine rejects the project.",
    instead=(
        "Correct the name. If the other retriever is in another file, move one of them, or write "
        "the settings out."
    ),
    bad="""\
kind: context
name: support
messages:
  - {type: context, name: kb, format: {fence: true}}
  - {type: context, name: news, format: {fence: true}}
  - {type: user, content: "{input.question}"}
---
kind: retriever
name: kb
corpus: handbook
config: {retriever_id: hybrid, query: "{input.question}"}
---
kind: retriever
name: news
like: kbb  # <- BC220
config: {filters: {updated: {within: 7d}}}
"""
    + _CORPUS,
    good="""\
kind: context
name: support
messages:
  - {type: context, name: kb, format: {fence: true}}
  - {type: context, name: news, format: {fence: true}}
  - {type: user, content: "{input.question}"}
---
kind: retriever
name: kb
corpus: handbook
config: {retriever_id: hybrid, query: "{input.question}"}
---
kind: retriever
name: news
like: kb
config: {filters: {updated: {within: 7d}}}
"""
    + _CORPUS,
    check=checked_by_reader,
)
