"""BC118: an alias of an anchor that is not there."""

from __future__ import annotations

from biblicus_context.lint.engine.finding import Severity
from biblicus_context.lint.engine.rule import Rule, by_the_reader

RULE = Rule(
    code="BC118",
    name="unknown-alias",
    severity=Severity.ERROR,
    finds="An alias `*name` without an anchor `&name` above it.",
    why="It stands for nothing. Often it is text that begins with a star, such as **bold** text.",
    instead="Write the anchor above, or quote text that begins with a star.",
    bad="""\
kind: context
name: support
messages:
  - {type: system, content: *tone } # <- BC118
  - {type: user, content: "{input.question}"}
""",
    good="""\
kind: context
name: support
messages:
  - {type: system, content: Write short sentences.}
  - {type: user, content: "{input.question}"}
""",
    check=by_the_reader,
)
