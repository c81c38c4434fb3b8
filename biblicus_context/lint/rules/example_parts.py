"""Documents that the examples of several rules share."""

from __future__ import annotations

from typing import Final

KNOWLEDGE_BASE: Final = """\
---
kind: retriever
name: kb
corpus: handbook
---
kind: corpus
name: handbook
config: {root: handbook}
"""
"""The retriever and the corpus of `{type: context, name: kb}`."""

ASKING: Final = """\
---
kind: retriever
name: kb
corpus: handbook
---
kind: context
name: support
messages:
  - {type: context, name: kb, format: {fence: true}}
  - {type: user, content: "{input.question}"}
"""
"""A context that inserts a retriever over the corpus `handbook`."""

STYLE: Final = """\
---
kind: context
name: style
messages:
  - {type: system, content: Answer in short sentences.}
"""
"""A context that others insert."""

NEWS: Final = """\
---
kind: retriever
name: news
corpus: handbook
"""
"""A second retriever over the same corpus."""

OWN_CORPUS: Final = """\
---
kind: corpus
name: handbook
config: {root: handbook}
---
kind: context
name: support
messages:
  - {type: context, name: kb, format: {fence: true}}
  - {type: user, content: "{input.question}"}
"""
"""A corpus with its own files, and a context that inserts the retriever `kb`."""

FOUND: Final = (
    """\
---
kind: retriever
name: found
corpus: handbook
config: {retriever_id: hybrid}
"""
    + OWN_CORPUS
)
"""A source for a combined retriever `kb`, with its corpus, and a context that inserts `kb`."""
