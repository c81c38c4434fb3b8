"""BC206: a context and a retriever with the same name."""

from __future__ import annotations

from biblicus_context.lint.engine.finding import Severity
from biblicus_context.lint.engine.rule import Rule, checked_by_reader

RULE = Rule(
    code="BC206",
    name="conflicting-name",
    severity=Severity.ERROR,
    finds="A context and a retriever have the same name.",
    why="Plans insert both by name, so the engine cannot know which one is meant.",
    instead="Rename one of them; the finding names the place of the other.",
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
    check=checked_by_reader,
)
