"""BC103: a document of an unknown kind."""

from __future__ import annotations

from biblicus_context.lint.engine.finding import Severity
from biblicus_context.lint.engine.rule import Rule, checked_by_reader

RULE = Rule(
    code="BC103",
    name="unknown-kind",
    severity=Severity.ERROR,
    finds="The `kind` of a document is not context, policy, retriever, corpus or compactor.",
    why=(
        "The kind decides what a document declares, so the engine rejects a document of an unknown "
        "kind."
    ),
    instead=(
        "Write one of the five kinds. Move files of other programs to another folder, or list them "
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
    check=checked_by_reader,
)
