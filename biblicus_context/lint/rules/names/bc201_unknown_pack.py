"""BC201: a pack that is neither a context nor a retriever."""

from __future__ import annotations

from biblicus_context.lint.engine.finding import Severity
from biblicus_context.lint.engine.rule import Rule, checked_by_reader

RULE = Rule(
    code="BC201",
    name="unknown-pack",
    severity=Severity.ERROR,
    finds=(
        "A context inserts a pack, or a combined retriever names a source, but no context or "
        "retriever has this name."
    ),
    why="The engine cannot place the pack, so it rejects the project.",
    instead=(
        "Correct the name, or declare it. List names that are passed from Python under `known` in "
        'the settings: `known = {retrievers = ["kb"]}`.'
    ),
    bad="""\
kind: context
name: support
messages:
  - {type: context, name: house-stile} # <- BC201
  - {type: user, content: "{input.question}"}
---
kind: context
name: house-style
messages:
  - {type: system, content: Write short sentences.}
""",
    good="""\
kind: context
name: support
messages:
  - {type: context, name: house-style}
  - {type: user, content: "{input.question}"}
---
kind: context
name: house-style
messages:
  - {type: system, content: Write short sentences.}
""",
    check=checked_by_reader,
)
