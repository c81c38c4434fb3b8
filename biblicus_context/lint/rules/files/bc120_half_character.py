"""BC120: an escape that is half of a character."""

from __future__ import annotations

from biblicus_context.lint.engine.finding import Severity
from biblicus_context.lint.engine.rule import Rule, by_the_reader

RULE = Rule(
    code="BC120",
    name="half-character",
    severity=Severity.ERROR,
    finds='An escape such as `"\\ud83d"` in double quotes, which is half of a character.',
    why="It cannot be sent: no encoding of text has half characters.",
    instead='Write the character itself, or its whole escape, as in `"\\U0001F600"`.',
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
    check=by_the_reader,
)
