"""BC115: a YAML tag."""

from __future__ import annotations

from biblicus_context.lint.engine.finding import Severity
from biblicus_context.lint.engine.rule import Rule, by_the_reader

RULE = Rule(
    code="BC115",
    name="tag",
    severity=Severity.ERROR,
    finds="A YAML tag, such as `!!int`, `!include` or `!important`.",
    why=(
        "Tags ask a reader to build something else than text, numbers, lists and mappings. Plans "
        "are data, so they are not read."
    ),
    instead="Remove the tag, or quote text that begins with an exclamation mark.",
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
    check=by_the_reader,
)
