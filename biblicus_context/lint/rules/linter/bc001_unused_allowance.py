"""BC001: a comment that allows what nothing finds."""

from __future__ import annotations

from biblicus_context.lint.engine.finding import Severity
from biblicus_context.lint.engine.rule import Rule, by_the_linter

RULE = Rule(
    code="BC001",
    name="unused-allowance",
    severity=Severity.WARNING,
    finds="A comment `# lint: allow CODE` where the rule finds nothing.",
    why=(
        "It was of use once, and now hides the next finding of this rule from everyone. It is not "
        "told of a file that could not be read as a whole, or of rules that are not applied in this "
        "run."
    ),
    instead="Remove the comment, or the code from it.",
    bad="""\
kind: context
name: support
messages:
  - {type: system, content: You are a support agent.}
  - {type: user, content: "{input.question}"} # lint: allow BC141 a word of ours # <- BC001
""",
    good="""\
kind: context
name: support
messages:
  - {type: system, content: You are a support agent.}
  - {type: user, content: "{input.question}"}
""",
    check=by_the_linter,
)
