"""BC117: a merge of something that is no mapping."""

from __future__ import annotations

from biblicus_context.lint.engine.finding import Severity
from biblicus_context.lint.engine.rule import Rule, by_the_reader

RULE = Rule(
    code="BC117",
    name="merge-of-no-mapping",
    severity=Severity.ERROR,
    finds="A merge key `<<` over a text, a number or a list of such.",
    why="Only the keys of mappings can be taken in.",
    instead="Name a mapping by its anchor, or list several.",
    bad="""\
kind: context
name: support
description: &about Answers questions.
messages:
  - {type: system, content: You are a support agent.}
  - {type: user, content: "{input.question}", <<: *about} # <- BC117
""",
    good="""\
kind: context
name: support
messages:
  - {type: system, content: You are a support agent.}
  - {type: user, content: "{input.question}"}
""",
    check=by_the_reader,
)
