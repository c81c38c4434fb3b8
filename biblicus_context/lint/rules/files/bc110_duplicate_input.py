"""BC110: an input that is declared twice."""

from __future__ import annotations

from biblicus_context.lint.engine.finding import Severity
from biblicus_context.lint.engine.rule import Rule, checked_by_reader

RULE = Rule(
    code="BC110",
    name="duplicate-input",
    severity=Severity.ERROR,
    finds="A context declares two inputs with the same name.",
    why="The two declarations can differ in type and default, so the engine rejects the context.",
    instead="Keep one of the two declarations.",
    bad="""\
kind: context
name: support
inputs:
  - {name: question, type: string}
  - question # <- BC110
messages:
  - {type: user, content: "{input.question}"}
""",
    good="""\
kind: context
name: support
inputs:
  - {name: question, type: string}
messages:
  - {type: user, content: "{input.question}"}
""",
    check=checked_by_reader,
)
