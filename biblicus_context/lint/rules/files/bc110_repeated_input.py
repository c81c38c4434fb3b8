"""BC110: an input that is declared twice."""

from __future__ import annotations

from biblicus_context.lint.engine.finding import Severity
from biblicus_context.lint.engine.rule import Rule, by_the_reader

RULE = Rule(
    code="BC110",
    name="repeated-input",
    severity=Severity.ERROR,
    finds="Two inputs of one name in a list of `inputs`.",
    why="They may say different things about type and default; which of them holds cannot be known.",
    instead="Keep one of them.",
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
    check=by_the_reader,
)
