"""BC702: a key or a password stands in a plan."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from biblicus_context.lint.engine.finding import Remark, Severity
from biblicus_context.lint.engine.rule import Rule
from biblicus_context.lint.facts.source.positions import place_at
from biblicus_context.lint.facts.source.secrets import secrets_in
from biblicus_context.lint.rules.example_parts import ASKING

if TYPE_CHECKING:
    from biblicus_context.lint.facts.project.declarations import Declared
    from biblicus_context.lint.facts.project.plan import Plan


def _check(plan: Plan, declared: Declared) -> Iterator[Remark]:
    """Looks at the text of the file, as a secret in a comment is one, too."""
    del declared
    for secret in secrets_in(plan.text):
        yield Remark(
            place_at(plan, secret.offset),
            f"this looks like {secret.kind}",
            found=secret.shown,
            advice="Make it invalid, as others may have read it; then hand it in from Python.",
        )


RULE = Rule(
    code="BC702",
    name="secret-in-plan",
    severity=Severity.WARNING,
    finds="A text or a comment contains what looks like a key, a token or a password: those of AWS, "
    "GitHub, GitLab, Google, Slack, Stripe, Hugging Face and model providers, private keys, signed "
    "tokens, and assignments such as `password: ...`.",
    why="Plans are kept in repositories and sent to models. A secret in one of them is known to "
    "everyone who can read either. The finding shows its first characters only.",
    instead="Hand secrets in from Python, where they come from the environment or a vault.",
    bad="""\
kind: corpus
name: handbook
config:
  root: handbook
  api_key: k7Qm2vX9pL4tR8wZ  # <- BC702
"""
    + ASKING,
    good="""\
kind: corpus
name: handbook
config:
  root: handbook
"""
    + ASKING,
    check=_check,
)
