"""BC127: an empty file or document."""

from __future__ import annotations

from biblicus_context.lint.engine.finding import Severity
from biblicus_context.lint.engine.rule import Rule, checked_by_reader

RULE = Rule(
    code="BC127",
    name="empty-document",
    severity=Severity.ERROR,
    finds="A file, or a document between two `---` lines, is empty.",
    why="An empty document is usually a leftover, or a file that was saved too early.",
    instead=(
        "Write a plan that begins with `kind: context` and `name: ...`, or remove the file or the "
        "`---` line."
    ),
    bad="""\
kind: context
name: support
messages:
  - {type: user, content: "{input.question}"}
--- # <- BC127
# more to come
""",
    good="""\
kind: context
name: support
messages:
  - {type: user, content: "{input.question}"}
""",
    check=checked_by_reader,
)
