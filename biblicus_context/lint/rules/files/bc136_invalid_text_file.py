"""BC136: a file with a text that cannot be used."""

from __future__ import annotations

from biblicus_context.lint.engine.finding import Severity
from biblicus_context.lint.engine.rule import Rule, checked_by_reader

RULE = Rule(
    code="BC136",
    name="invalid-text-file",
    severity=Severity.ERROR,
    finds=(
        "The file of a text, as in `content: {file: prompts/style.md}`, does not exist, is outside "
        "the project or hidden, is not UTF-8, is too large, or contains control characters."
    ),
    why=(
        "Without its text the plan cannot be assembled. Hidden files and files outside the project "
        "can hold secrets that were never meant for a model."
    ),
    instead="Write the path relative to the plan file, and keep the file inside the project.",
    bad="""\
kind: context
name: support
messages:
  - type: system
    content:
      file: prompts/style.md  # <- BC136
  - {type: user, content: "{input.question}"}
""",
    good="""\
kind: context
name: support
messages:
  - {type: system, content: You are a support agent.}
  - {type: user, content: "{input.question}"}
""",
    check=checked_by_reader,
)
