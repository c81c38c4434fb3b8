"""BC127: a file or document that declares nothing."""

from __future__ import annotations

from biblicus_context.lint.engine.finding import Severity
from biblicus_context.lint.engine.rule import Rule, by_the_reader

RULE = Rule(
    code="BC127",
    name="empty-document",
    severity=Severity.ERROR,
    finds="A file, or a document between two `---`, that declares nothing.",
    why="Whoever left it there probably wanted to write something, or saved too early.",
    instead=(
        "Write a plan: begin with 'kind: context' and 'name: ...'. Else remove the file, or the "
        "`---`."
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
    check=by_the_reader,
)
