"""BC206: a context and a retriever of one name."""

from __future__ import annotations

from biblicus_context.lint.engine.finding import Severity
from biblicus_context.lint.engine.rule import Rule, by_the_reader

RULE = Rule(
    code="BC206",
    name="shared-name",
    severity=Severity.ERROR,
    finds="A retriever with the name of a context, or the other way round.",
    why="Plans insert both by name alone, so that nobody can tell which one is meant.",
    instead="Rename one of them; the finding says where the other stands.",
    bad="""\
kind: context
name: support
messages:
  - {type: context, name: handbook, format: {fence: true}}
  - {type: user, content: "{input.question}"}
---
kind: retriever
name: handbook
config: {query: "{input.question}"}
---
kind: context
name: handbook # <- BC206
messages:
  - {type: system, content: Quote the handbook.}
""",
    good="""\
kind: context
name: support
messages:
  - {type: context, name: handbook_rules}
  - {type: context, name: handbook, format: {fence: true}}
  - {type: user, content: "{input.question}"}
---
kind: retriever
name: handbook
config: {query: "{input.question}"}
---
kind: context
name: handbook_rules
messages:
  - {type: system, content: Quote the handbook.}
""",
    check=by_the_reader,
)
