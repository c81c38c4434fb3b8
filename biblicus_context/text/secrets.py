"""Texts that look like a key, a token or a password: found, shown in part, or taken out."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final, NamedTuple

from biblicus_context.base.doors import door


class Secret(NamedTuple):
    """A likely secret, and its offset in a text."""

    offset: int
    kind: str
    shown: str
    length: int


class _Shape(NamedTuple):
    kind: str
    signs: tuple[str, ...]
    """Every secret of this shape contains one of these; testing for them first is fast."""
    pattern: re.Pattern[str]
    needs: tuple[re.Pattern[str], ...] = ()
    """What a secret contains; in the pattern, looking ahead would read a text again and again."""


_DIGIT: Final = re.compile(r"\d")
_LETTER: Final = re.compile("[A-Za-z]")
_ASSIGNED: Final = (
    *("assw", "ASSW", "ecret", "ECRET", "pi_key", "PI_KEY", "pi-key", "pikey", "piKey"),
    *("oken:", "oken=", "oken '", 'oken"', "OKEN:", "OKEN=", "_key", "_KEY", "Key=", "Key:"),
)
_SHAPES: Final = (
    _Shape(
        "an AWS access key",
        ("AKIA", "ASIA"),
        re.compile(r"\b(?P<secret>(?:AKIA|ASIA)[0-9A-Z]{16})\b"),
    ),
    _Shape(
        "a GitHub token",
        ("ghp_", "gho_", "ghu_", "ghs_", "ghr_", "github_pat_"),
        re.compile(r"\b(?P<secret>gh[pousr]_[0-9A-Za-z]{36,}|github_pat_\w{60,})"),
    ),
    _Shape("a GitLab token", ("glpat-",), re.compile(r"\b(?P<secret>glpat-[0-9A-Za-z_-]{20,})")),
    _Shape(
        "an API key of a model provider",
        ("sk-",),
        re.compile(r"\b(?P<secret>sk-[\w-]{20,})"),
        needs=(_DIGIT, _LETTER),
    ),
    _Shape("a Google API key", ("AIza",), re.compile(r"\b(?P<secret>AIza[\w-]{35})")),
    _Shape(
        "a Slack token",
        ("xoxb-", "xoxp-", "xoxa-", "xoxr-", "xoxs-"),
        re.compile(r"\b(?P<secret>xox[abprs]-[0-9A-Za-z-]{20,})"),
    ),
    _Shape("an npm token", ("npm_",), re.compile(r"\b(?P<secret>npm_[0-9A-Za-z]{36})\b")),
    _Shape("a PyPI token", ("pypi-",), re.compile(r"\b(?P<secret>pypi-[\w-]{50,})")),
    _Shape("a SendGrid key", ("SG.",), re.compile(r"\b(?P<secret>SG\.[\w-]{16,}\.[\w-]{16,})")),
    _Shape("a Hugging Face token", ("hf_",), re.compile(r"\b(?P<secret>hf_[0-9A-Za-z]{30,})")),
    _Shape(
        "a Stripe key",
        ("sk_live_", "rk_live_"),
        re.compile(r"\b(?P<secret>[sr]k_live_[0-9A-Za-z]{20,})"),
    ),
    _Shape(
        "a private key",
        ("PRIVATE KEY-----",),
        re.compile(r"(?P<secret>-----BEGIN (?:[A-Z0-9]+ )*PRIVATE KEY-----)"),
    ),
    _Shape(
        "a signed token (JWT)",
        ("eyJ",),
        re.compile(r"(?<![\w-])(?P<secret>eyJ[\w-]{8,}\.eyJ[\w-]{8,}\.[\w-]{8,})"),
    ),
    _Shape(
        "a bearer token",
        ("earer ",),
        re.compile(r"\b[Bb]earer (?P<secret>[\w.~+/-]{20,})"),
        needs=(_DIGIT,),
    ),
    _Shape(
        "a password or key",
        _ASSIGNED,
        re.compile(
            r"(?i:password|passwd|secret|(?:api|secret|access|private|signing|account)[_-]?key|token)"
            r"[\"']?\s*[:=]\s*[\"']?"
            r"(?P<secret>[^\s\"'{}<>$(),;]{12,})"
        ),
        needs=(_DIGIT, _LETTER),
    ),
)
_SIGNS: Final = tuple((sign, shape) for shape in _SHAPES for sign in shape.signs)
_INVENTED: Final = re.compile(
    r"(?i)example|sample|placeholder|your|dummy|redacted|changeme|x{4}|\.{3}"
)
_FEWEST_SIGNS: Final = 6


@door
def secrets_in(text: str) -> Iterator[Secret]:
    """The likely secrets in a text, each once."""
    seen: set[int] = set()
    for shape in dict.fromkeys([shape for sign, shape in _SIGNS if sign in text]):
        for match in shape.pattern.finditer(text):
            start, secret = match.start("secret"), match["secret"]
            is_likely = all(need.search(secret) for need in shape.needs)
            if is_likely and start not in seen and not _is_invented(secret):
                seen.add(start)
                yield Secret(start, shape.kind, masked(secret), len(secret))


def masked(secret: str) -> str:
    """The first characters of a secret, and its length.

    >>> masked("ghp_0123456789")
    'ghp_… (14 characters)'
    """
    return f"{secret[:4]}… ({len(secret)} characters)"


def _is_invented(secret: str) -> bool:
    """Whether it is a placeholder by its words, or repeats a few characters."""
    return bool(_INVENTED.search(secret)) or len(set(secret)) < _FEWEST_SIGNS


_KEY_BLOCK: Final = re.compile(
    r"-----BEGIN (?:[A-Z0-9]+ )*PRIVATE KEY-----.*?(?:-----END (?:[A-Z0-9]+ )*PRIVATE KEY-----|\Z)",
    re.DOTALL,
)
_PASSWORD: Final = re.compile(
    r"(?i:\b(?:password|passwd|passphrase|pwd)\b)[\"']?\s*(?:is|[:=])\s*[\"']?"
    r"([^\s\"'{}<>$(),;\[]{5,60}[^\s\"'{}<>$(),;\[.])"
)
"""A short password, which may be a word of a plan: the linter does not report it, a memory need not hold it."""
_UNWORDLY: Final = re.compile(r"\d|[^\w'-]")
_IN_ADDRESS: Final = re.compile(r"(?<=://)([^\s:/@]{1,100}):([^\s/@]{1,200})(?=@)")


@door
def redacted(text: str) -> str:
    """The text without what looks like a secret: what it was is said in its place.

    >>> redacted("Log in with ghp_0123456789abcdefghij0123456789abcdefghij.")
    'Log in with [redacted: a GitHub token].'
    """
    if "PRIVATE KEY-----" in text:
        text = _KEY_BLOCK.sub("[redacted: a private key]", text)
    if "://" in text:
        text = _IN_ADDRESS.sub(r"\1:[redacted: a password]", text)
    text = _PASSWORD.sub(_without_password, text)
    found = sorted(secrets_in(text), key=lambda each: (each.offset, -each.length))
    parts, end = list[str](), 0
    for each in found:
        if each.offset >= end:
            parts += (text[end : each.offset], f"[redacted: {each.kind}]")
            end = each.offset + each.length
    return "".join((*parts, text[end:]))


def _without_password(found: re.Match[str]) -> str:
    """What is no plain word is taken for one: "the password is required" stays."""
    if not _UNWORDLY.search(found[1]):
        return found[0]
    return f"{found[0].removesuffix(found[1])}[redacted: a password]"
