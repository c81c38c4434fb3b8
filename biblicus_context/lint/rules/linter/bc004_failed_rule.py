"""BC004: a rule that raises instead of looking."""

from __future__ import annotations

from biblicus_context.lint.engine.finding import Severity
from biblicus_context.lint.engine.rule import Rule, by_the_linter

RULE = Rule(
    code="BC004",
    name="failed-rule",
    severity=Severity.ERROR,
    finds="A rule that failed at a document; everything else was checked all the same.",
    why=(
        "What the rule would have found there is not known. Rules can come from other packages, by "
        "the entry points `biblicus_context.rules`."
    ),
    instead="Report it to the author of the rule; `ignore` the rule until it is put right.",
    bad="",
    good="""\
kind: context
name: support
messages:
  - {type: system, content: You are a support agent.}
  - {type: user, content: "{input.question}"}
""",
    check=by_the_linter,
)
