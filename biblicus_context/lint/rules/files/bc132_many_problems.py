"""BC132: a document with too many problems to go on."""

from __future__ import annotations

from biblicus_context.lint.engine.finding import Severity
from biblicus_context.lint.engine.rule import Rule, by_the_reader

RULE = Rule(
    code="BC132",
    name="many-problems",
    severity=Severity.ERROR,
    finds="A document in which 100 things are wrong already.",
    why="It is no plan. Those behind the last one are not told.",
    instead=(
        "Begin with the first ones; what is no plan belongs in another folder, or under `exclude` "
        "in the settings."
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
