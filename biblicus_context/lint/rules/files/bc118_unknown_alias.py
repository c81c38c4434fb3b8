"""BC118: an alias without an anchor."""

from __future__ import annotations

from biblicus_context.lint.engine.finding import Severity
from biblicus_context.lint.engine.rule import Rule, checked_by_reader

RULE = Rule(
    code="BC118",
    name="unknown-alias",
    severity=Severity.ERROR,
    finds="An alias `*name` has no anchor `&name` above it.",
    why=(
        "The alias has no value. Often it is text that begins with an asterisk, such as `**bold**`."
    ),
    instead=(
        "Define the anchor above the alias, or put text that begins with an asterisk in quotes."
    ),
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
    check=checked_by_reader,
)
