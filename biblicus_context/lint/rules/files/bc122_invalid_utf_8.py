"""BC122: a file that is not UTF-8 text."""

from __future__ import annotations

from biblicus_context.lint.engine.finding import Severity
from biblicus_context.lint.engine.rule import Rule, checked_by_reader

RULE = Rule(
    code="BC122",
    name="invalid-utf-8",
    severity=Severity.ERROR,
    finds="The file is not UTF-8 text: it has another encoding, or is binary.",
    why="If the encoding were guessed, letters could be read wrongly and tokens counted wrongly.",
    instead=(
        "Save the file as UTF-8. Move files that are not plans to another folder, or list them "
        "under `exclude` in the settings."
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
