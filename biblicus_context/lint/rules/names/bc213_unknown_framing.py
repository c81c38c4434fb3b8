"""BC213: a message framing that does not exist."""

from __future__ import annotations

from collections.abc import Iterator

from biblicus_context.lint.engine.finding import Severity, Violation
from biblicus_context.lint.engine.rule import Rule
from biblicus_context.lint.facts.budgets.policies import policy_in
from biblicus_context.lint.facts.project.declarations import Declarations
from biblicus_context.lint.facts.project.plan import Plan
from biblicus_context.text.messages.framing import FRAMINGS


def _check(plan: Plan, declared: Declarations) -> Iterator[Violation]:
    """Checks framings by name; framings by numbers are always known."""
    del declared
    policy = policy_in(plan)
    framing = policy.spec.framing if policy else None
    if policy and isinstance(framing, str) and framing not in FRAMINGS:
        path = policy.at("framing")
        yield plan.violation(path, "unknown framing", found=framing, valid=tuple(FRAMINGS))


RULE = Rule(
    code="BC213",
    name="unknown-framing",
    severity=Severity.ERROR,
    finds="A policy names a message framing that does not exist.",
    why=(
        "The tokens that the message format adds to each message cannot be counted. The call fails "
        "when the context is assembled."
    ),
    instead="Write one of the names that the finding lists, or give the numbers of tokens.",
    bad="""\
kind: context
name: support
policy:
  framing: open-ai # <- BC213
  input_budget: {max_tokens: 2000}
messages:
  - {type: history}
  - {type: user, content: "{input.question}"}
""",
    good="""\
kind: context
name: support
policy:
  framing: openai
  input_budget: {max_tokens: 2000}
messages:
  - {type: history}
  - {type: user, content: "{input.question}"}
""",
    check=_check,
    depends_on=frozenset(),
)
