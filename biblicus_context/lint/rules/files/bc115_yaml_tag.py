"""BC115: a YAML tag."""

from __future__ import annotations

from biblicus_context.lint.engine.finding import Severity
from biblicus_context.lint.engine.rule import Rule, checked_by_reader

RULE = Rule(
    code="BC115",
    name="yaml-tag",
    severity=Severity.ERROR,
    finds="A value has a YAML tag, such as `!!int`, `!include` or `!important`.",
    why=(
        "Tags can make a YAML reader create arbitrary objects. Plans are plain data, so the engine "
        "rejects tags."
    ),
    instead="Remove the tag, or put text that begins with an exclamation mark in quotes.",
    bad="""\
kind: context
name: support
description: !important Answers questions. # <- BC115
messages:
  - {type: user, content: "{input.question}"}
""",
    good="""\
kind: context
name: support
description: "!important Answers questions."
messages:
  - {type: user, content: "{input.question}"}
""",
    check=checked_by_reader,
)
