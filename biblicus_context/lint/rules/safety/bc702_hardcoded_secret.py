"""BC702: a secret in a plan."""

from __future__ import annotations

from collections.abc import Iterator

from biblicus_context.lint.engine.finding import Severity, Violation
from biblicus_context.lint.engine.rule import Rule
from biblicus_context.lint.facts.project.declarations import Declarations
from biblicus_context.lint.facts.project.plan import Plan
from biblicus_context.lint.facts.source.positions import place_at
from biblicus_context.lint.facts.source.secrets import secrets_in
from biblicus_context.lint.rules.example_parts import ASKING

_ADVICE = "Revoke it: it may be exposed. Pass secrets from Python."


def _check(plan: Plan, declared: Declarations) -> Iterator[Violation]:
    """Searches whole files, because a secret in a comment is exposed as well."""
    del declared
    for path, file in plan.document.text_files.items():
        for secret in secrets_in(file.text):
            problem = f"possible secret: {secret.kind}"
            yield plan.in_text_file(
                path, secret.offset, problem, found=secret.shown, advice=_ADVICE
            )
    for secret in secrets_in(plan.text):
        yield Violation(
            place_at(plan, secret.offset),
            f"possible secret: {secret.kind}",
            found=secret.shown,
            advice=_ADVICE,
        )


RULE = Rule(
    code="BC702",
    name="hardcoded-secret",
    severity=Severity.WARNING,
    finds="A text or a comment contains what looks like a key, a token or a password.",
    why=(
        "Plans are stored in repositories and sent to models, so everyone who can read them knows "
        "the secret. Checked are the formats of AWS, GitHub, GitLab, Google, Slack, Stripe, "
        "Hugging Face and model providers, private keys, signed tokens, and assignments such as "
        "`password: ...`. The finding shows only the first characters."
    ),
    instead="Revoke the secret, and pass secrets from Python, from the environment or a vault.",
    bad="""\
kind: corpus
name: handbook
config:
  split: handbook
  api_key: k7Qm2vX9pL4tR8wZ  # <- BC702
"""
    + ASKING,
    good="""\
kind: corpus
name: handbook
config:
  split: handbook
"""
    + ASKING,
    check=_check,
    depends_on=frozenset(),
)
