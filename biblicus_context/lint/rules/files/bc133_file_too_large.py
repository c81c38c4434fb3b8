"""BC133: a file that is too large."""

from __future__ import annotations

from biblicus_context.lint.engine.finding import Severity
from biblicus_context.lint.engine.rule import Rule, checked_by_reader

RULE = Rule(
    code="BC133",
    name="file-too-large",
    severity=Severity.ERROR,
    finds="A file is larger than 1,048,576 bytes.",
    why=(
        "Nobody can review a plan of this size. Long texts belong in a corpus, from which only "
        "relevant parts are retrieved."
    ),
    instead=(
        "Split the file, and move long texts into a corpus. Move files that are not plans to "
        "another folder."
    ),
    bad="",
    good="""\
kind: context
name: support
messages:
  - {type: system, content: You are a support agent.}
  - {type: user, content: "{input.question}"}
""",
    check=checked_by_reader,
)
