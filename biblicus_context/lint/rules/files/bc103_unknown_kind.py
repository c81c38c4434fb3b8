"""BC103: a document of a kind that is not there."""

from __future__ import annotations

from biblicus_context.lint.engine.finding import Severity
from biblicus_context.lint.engine.rule import Rule, by_the_reader

RULE = Rule(
    code="BC103",
    name="unknown-kind",
    severity=Severity.ERROR,
    finds="A document whose `kind` is none of context, policy, retriever, corpus and compactor.",
    why="What a document declares follows from its kind; this one declares nothing.",
    instead=(
        "Write the kind that is meant. A file of another program belongs in another folder, or "
        "under `exclude` in the settings."
    ),
    bad="""\
kind: contxt # <- BC103
name: support
messages:
  - {type: system, content: You are a support agent.}
  - {type: user, content: "{input.question}"}
""",
    good="""\
kind: context
name: support
messages:
  - {type: system, content: You are a support agent.}
  - {type: user, content: "{input.question}"}
""",
    check=by_the_reader,
)
