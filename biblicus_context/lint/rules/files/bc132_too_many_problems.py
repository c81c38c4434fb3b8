"""BC132: a document with so many problems that checking stops."""

from __future__ import annotations

from biblicus_context.lint.engine.finding import Severity
from biblicus_context.lint.engine.rule import Rule, checked_by_reader

RULE = Rule(
    code="BC132",
    name="too-many-problems",
    severity=Severity.ERROR,
    finds="A document has 100 or more problems, so the rest of it is not checked.",
    why="The file is probably not a plan. Later problems of the document are not reported.",
    instead=(
        "Fix the first problems and lint again. Move files that are not plans to another folder, "
        "or list them under `exclude` in the settings."
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
