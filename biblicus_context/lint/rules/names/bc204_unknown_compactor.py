"""BC204: a compactor that is neither declared nor built in."""

from __future__ import annotations

from biblicus_context.lint.engine.finding import Severity
from biblicus_context.lint.engine.rule import Rule, by_the_reader

RULE = Rule(
    code="BC204",
    name="unknown-compactor",
    severity=Severity.ERROR,
    finds=(
        "A compactor named by a policy, a history or another compactor that is neither declared nor "
        "built in."
    ),
    why="Nothing could shorten what does not fit; the engine refuses the project.",
    instead=(
        "Write the name that is meant, or declare it. What Python hands in is listed under `known` "
        "in the settings."
    ),
    bad="""\
kind: context
name: support
policy:
  input_budget: {max_tokens: 2000}
  compactor: extractiv # <- BC204
messages:
  - {type: system, content: "{input.rules}", shrink: true}
  - {type: user, content: "{input.question}"}
""",
    good="""\
kind: context
name: support
policy:
  input_budget: {max_tokens: 2000}
  compactor: extractive
messages:
  - {type: system, content: "{input.rules}", shrink: true}
  - {type: user, content: "{input.question}"}
""",
    check=by_the_reader,
)
