"""BC202: a policy that nobody declares."""

from __future__ import annotations

from biblicus_context.lint.engine.finding import Severity
from biblicus_context.lint.engine.rule import Rule, by_the_reader

RULE = Rule(
    code="BC202",
    name="unknown-policy",
    severity=Severity.ERROR,
    finds="A policy named by a context that no document declares.",
    why="Without its policy a context has no budget; the engine refuses the project.",
    instead=(
        "Write the name that is meant, or declare it. What Python hands in is listed under `known` "
        "in the settings."
    ),
    bad="""\
kind: context
name: support
policy: smal # <- BC202
messages:
  - {type: history}
  - {type: user, content: "{input.question}"}
---
kind: policy
name: small
input_budget: {max_tokens: 2000}
""",
    good="""\
kind: context
name: support
policy: small
messages:
  - {type: history}
  - {type: user, content: "{input.question}"}
---
kind: policy
name: small
input_budget: {max_tokens: 2000}
""",
    check=by_the_reader,
)
