"""BC133: a file larger than a plan may be."""

from __future__ import annotations

from biblicus_context.lint.engine.finding import Severity
from biblicus_context.lint.engine.rule import Rule, by_the_reader

RULE = Rule(
    code="BC133",
    name="oversized-file",
    severity=Severity.ERROR,
    finds="A file of more than 1,048,576 bytes.",
    why=(
        "Nobody reviews such a plan. Long texts belong into a corpus, where they are retrieved as "
        "needed."
    ),
    instead="Split the file; move long texts into a corpus. What is no plan belongs in another folder.",
    bad="",
    good="""\
kind: context
name: support
messages:
  - {type: system, content: You are a support agent.}
  - {type: user, content: "{input.question}"}
""",
    check=by_the_reader,
)
