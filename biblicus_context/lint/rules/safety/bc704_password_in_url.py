"""BC704: a password in a URL."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from biblicus_context.lint.engine.finding import Severity, Violation
from biblicus_context.lint.engine.rule import Rule
from biblicus_context.lint.facts.project.declarations import Declarations
from biblicus_context.lint.facts.project.plan import Plan
from biblicus_context.lint.facts.source.positions import place_at
from biblicus_context.lint.rules.example_parts import ASKING

_ADDRESS: Final = re.compile(
    r"\b(?P<scheme>[a-z][a-z0-9+.-]{0,30})://[^\s/:@\"'<>]*:(?P<password>[^\s/@\"'<>]+)@(?P<host>[\w.-]+)"
)
_INVENTED: Final = re.compile(r"[${}<>*]|(?i:password|secret|example|x{3})")


def _check(plan: Plan, declared: Declarations) -> Iterator[Violation]:
    del declared
    text = plan.text
    if "://" not in text or "@" not in text:
        return
    for match in _ADDRESS.finditer(text):
        if _INVENTED.search(match["password"]):
            continue
        yield Violation(
            place_at(plan, match.start()),
            "the URL contains a password",
            found=f"{match['scheme']}://…@{match['host']}",
            advice="Change the password: it may be exposed. Pass the URL from Python.",
        )


RULE = Rule(
    code="BC704",
    name="password-in-url",
    severity=Severity.WARNING,
    finds="A URL such as `http://name:password@host` appears in a text, a setting or a comment.",
    why=(
        "Plans are stored in repositories and shown in errors and receipts, and so is the "
        "password. The finding does not show it."
    ),
    instead="Change the password, write the URL without it, and pass the credentials from Python.",
    bad="""\
kind: corpus
name: handbook
config:
  root: handbook
  embedder:
    type: openai
    model: embed-small
    dimensions: 256
    base_url: https://reader:k7Qm2vX9@models.internal/v1  # <- BC704
    api_key_env: null
"""
    + ASKING,
    good="""\
kind: corpus
name: handbook
config:
  root: handbook
  embedder:
    type: openai
    model: embed-small
    dimensions: 256
    base_url: https://models.internal/v1
    api_key_env: null
"""
    + ASKING,
    check=_check,
    depends_on=frozenset(),
)
