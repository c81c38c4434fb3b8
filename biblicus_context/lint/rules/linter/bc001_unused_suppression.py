"""BC001: a suppression comment that suppresses nothing."""

from __future__ import annotations

from biblicus_context.lint.engine.finding import Severity
from biblicus_context.lint.engine.rule import Rule, checked_by_linter

RULE = Rule(
    code="BC001",
    name="unused-suppression",
    severity=Severity.WARNING,
    finds=(
        "A comment `# lint: allow CODE` suppresses nothing, because the rule reports nothing there."
    ),
    why=(
        "An unused suppression hides the next finding of the rule. It is not reported in files "
        "that could not be read completely, or for rules that are switched off in this run."
    ),
    instead="Remove the comment, or remove the code from it.",
    bad="""\
kind: context
name: support
messages:
  - {type: system, content: You are a support agent.}
  - {type: user, content: "{input.question}"} # lint: allow BC141 the name of a state # <- BC001
""",
    good="""\
kind: context
name: support
messages:
  - {type: system, content: You are a support agent.}
  - {type: user, content: "{input.question}"}
""",
    check=checked_by_linter,
)
