"""BC122: a file that is no UTF-8 text."""

from __future__ import annotations

from biblicus_context.lint.engine.finding import Severity
from biblicus_context.lint.engine.rule import Rule, by_the_reader

RULE = Rule(
    code="BC122",
    name="not-utf-8",
    severity=Severity.ERROR,
    finds=(
        "Bytes that are no UTF-8 text: another encoding, UTF-16, or a file that holds no text at "
        "all."
    ),
    why="Read by guesswork, letters would come out wrong, and tokens would be counted wrong.",
    instead=(
        "Save the file as UTF-8. What is no plan belongs in another folder, or under `exclude` in "
        "the settings."
    ),
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
