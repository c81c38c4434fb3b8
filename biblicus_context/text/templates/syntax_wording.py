"""What Jinja2 says of a text that it cannot parse, in the words of this package."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final, NamedTuple, TypeAlias

from biblicus_context.errors import nearest

TAGS: Final = ("if", "for", "set", "with", "filter", "raw", "macro")
"""The statements that a text of a plan may use, or that a reader may be looking for."""
_CLOSING: Final = {
    "end of print statement": "}}",
    "end of statement block": "%}",
    "end of comment tag": "#}",
}
_INSTEAD: Final = {
    "'": "Close the quote.",
    '"': "Close the quote.",
    "&": "Write 'and' for &&.",
    "!": "Write 'not' for !, or != to compare.",
    "?": "Write {{ a if condition else b }}.",
    "$": "Write the name without $.",
}


class SyntaxProblem(NamedTuple):
    """What is wrong, and what to do, if that is known."""

    said: str
    fix: str | None = None


_Wording: TypeAlias = Callable[[re.Match[str]], SyntaxProblem]


def syntax_problem(message: str) -> SyntaxProblem:
    """Put a message of Jinja2's parser in plain words; one that is not known stays as it is.

    >>> syntax_problem("expected token 'end of print statement', got 'y'")
    SyntaxProblem(said="unexpected 'y': expected '}}'", fix=None)
    >>> syntax_problem("Encountered unknown tag 'endfi'.")
    SyntaxProblem(said="unknown tag 'endfi'", fix="Did you mean 'endif'?")
    """
    for pattern, wording in _WORDINGS.items():
        match = re.match(pattern, message)
        if match is not None:
            return wording(match)
    return SyntaxProblem(message.rstrip("."))


def _token(name: str) -> str:
    return _CLOSING.get(name, name)


def _unclosed_tag(match: re.Match[str]) -> SyntaxProblem:
    return SyntaxProblem(f"'{match[1]}' is not closed", f"Close it with {{% end{match[1]} %}}.")


def _unclosed_braces(match: re.Match[str]) -> SyntaxProblem:
    closing = _token(match[1])
    opening = {"}}": "{{", "%}": "{%", "#}": "{#"}.get(closing)
    if opening is None:
        return SyntaxProblem(f"'{closing}' is missing at the end")
    return SyntaxProblem(f"'{opening}' is not closed", f"Close it with {closing}.")


def _wrong_tag(match: re.Match[str]) -> SyntaxProblem:
    tag, inside = match[1], match[2]
    if inside and (tag in ("else", "elif") or tag.startswith("end")):
        closes = f"Close '{inside}' with {{% end{inside} %}}."
        return SyntaxProblem(f"'{tag}' has no place here, inside '{inside}'", closes)
    opened = tag.removeprefix("end")
    if tag in ("else", "elif") or opened in TAGS:
        return SyntaxProblem(f"'{tag}' without the '{'if' if opened == tag else opened}' before it")
    guess = nearest(tag, (*TAGS, *(f"end{each}" for each in TAGS), "else", "elif"))
    fix = f"Did you mean '{guess}'?" if guess else f"Known tags: {', '.join(TAGS)}."
    return SyntaxProblem(f"unknown tag '{tag}'", fix)


def _no_expression(_: re.Match[str]) -> SyntaxProblem:
    return SyntaxProblem("an expression is missing")


def _unexpected(match: re.Match[str]) -> SyntaxProblem:
    expected, found = _token(match[1]), _token(match[2])
    fix = "Compare with ==." if found == "=" else None
    return SyntaxProblem(f"unexpected '{found}': expected '{expected}'", fix)


def _unfinished(match: re.Match[str]) -> SyntaxProblem:
    return SyntaxProblem(f"the expression is not complete before '{_token(match[1])}'")


def _character(match: re.Match[str]) -> SyntaxProblem:
    character = match[2]
    if character in ("'", '"'):
        return SyntaxProblem("a quote is not closed", _INSTEAD[character])
    return SyntaxProblem(f"unexpected '{character}'", _INSTEAD.get(character))


_WORDINGS: Final[dict[str, _Wording]] = {
    r"Unexpected end of template.*needs to be closed is '(\w+)'": _unclosed_tag,
    r"unexpected end of template, expected '(.+?)'": _unclosed_braces,
    r"Missing (end of comment tag)": _unclosed_braces,
    r"Encountered unknown tag '(\w+)'(?:.*needs to be closed is '(\w+)')?": _wrong_tag,
    r"Expected an expression, got '": _no_expression,
    r"expected token '(.+?)', got '(.+?)'$": _unexpected,
    r"unexpected '(?P<found>.+?)', expected '(?P<expected>.+?)'$": lambda match: SyntaxProblem(
        f"'{match['expected']}' is missing before '{match['found']}'"
    ),
    r"unexpected '(end of .+?)'": _unfinished,
    r"unexpected char (['\"])(.)\1": _character,
    r"expected name or number": lambda _: SyntaxProblem("a name is missing after the dot"),
    r"chunk after expression": lambda _: SyntaxProblem("there is more after the expression"),
    r"No (filter|test) named '(\w+)'": lambda match: SyntaxProblem(
        f"unknown {match[1]} '{match[2]}'"
    ),
}
"""By the beginning of what Jinja2 says."""
