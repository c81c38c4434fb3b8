"""BC004: a rule that raised an exception."""

from __future__ import annotations

from biblicus_context.lint.engine.finding import Severity
from biblicus_context.lint.engine.rule import Rule, checked_by_linter

RULE = Rule(
    code="BC004",
    name="failed-rule",
    severity=Severity.ERROR,
    finds="A rule raised an exception while it checked a document; all other rules ran.",
    why=(
        "Findings of this rule may be missing for the document. Rules can come from other "
        "packages, through the entry point group `biblicus_context.rules`."
    ),
    instead=(
        "Report the failure to the author of the rule, and `ignore` the rule until it is fixed."
    ),
    bad="",
    good="""\
kind: context
name: support
messages:
  - {type: system, content: You are a support agent.}
  - {type: user, content: "{input.question}"}
""",
    check=checked_by_linter,
)
