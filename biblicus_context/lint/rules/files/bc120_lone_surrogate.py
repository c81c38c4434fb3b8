"""BC120: an escape that is one half of a surrogate pair."""

from __future__ import annotations

from biblicus_context.lint.engine.finding import Severity
from biblicus_context.lint.engine.rule import Rule, checked_by_reader

RULE = Rule(
    code="BC120",
    name="lone-surrogate",
    severity=Severity.ERROR,
    finds='An escape in double quotes, such as `"\\ud83d"`, is one half of a surrogate pair.',
    why="A lone surrogate is not a character: it cannot be encoded as UTF-8 and sent.",
    instead='Write the character itself, or its complete escape, such as `"\\U0001F600"`.',
    bad="""\
kind: context
name: support
messages:
  - {type: system, content: "Be friendly \\ud83d\\ude00"} # <- BC120
  - {type: user, content: "{input.question}"}
""",
    good="""\
kind: context
name: support
messages:
  - {type: system, content: "Be friendly \\U0001F600"}
  - {type: user, content: "{input.question}"}
""",
    check=checked_by_reader,
)
