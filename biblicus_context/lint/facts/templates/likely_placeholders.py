"""Braces in a text that were probably meant as a placeholder."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final, NamedTuple

from biblicus_context.errors import nearest
from biblicus_context.lint.facts.templates.parsed_template import ParsedTemplate, TemplateName

_BRACES: Final = re.compile(r"(?<!\{)\{(?P<inner>[^{}\n]{1,80})\}(?!\})")
_PATH: Final = re.compile(r"[^\W\d_]\w*(?:\.(?:[^\W\d_]\w*|\d+))*")
_FIRST: Final = re.compile(r"\s*([^\W\d]\w*)\s*(?=[.\[|:!\s-])")
_STAYS: Final = "malformed placeholder stays in the text"


class KnownNames(NamedTuple):
    """The names that a placeholder can begin with."""

    names: frozenset[str]
    inputs: frozenset[str] = frozenset()
    packs: frozenset[str] = frozenset()


class LikelyPlaceholder(NamedTuple):
    """Braces that look like a placeholder, and what to write instead."""

    offset: int
    text: str
    problem: str
    advice: str


def likely_placeholders(
    reading: ParsedTemplate, known: KnownNames, *, is_strict: bool
) -> Iterator[LikelyPlaceholder]:
    """The lookalikes of a text; `is_strict`: an unknown name in it is an error already."""
    for piece in reading.pieces:
        for match in _BRACES.finditer(piece.text) if "{" in piece.text else ():
            said = _no_path(match["inner"], known)
            if said:
                yield LikelyPlaceholder(piece.offset + match.start(), match[0], *said)
    for use in reading.uses:
        said = _all_of(use, known, reading)
        if said is None and not is_strict and use.first not in known.names:
            said = _misspelt(use, known)
        if said:
            yield LikelyPlaceholder(use.offset, f"{{{use.path}}}", *said)


def is_unknown(use: TemplateName, known: KnownNames) -> bool:
    """Whether a placeholder stays in the text and no known first name is similar."""
    return use.first not in known.names and _misspelt(use, known) is None


def declared_as(use: TemplateName, known: KnownNames) -> str | None:
    """`input` or `context`, if the first name of a placeholder is one of these."""
    if use.first in known.inputs:
        return "input"
    return "context" if use.first in known.packs else None


def _no_path(inner: str, known: KnownNames) -> tuple[str, str] | None:
    path = inner.strip()
    first = _FIRST.match(f"{inner} ")
    if first is None or first[1] not in known.names:
        return None
    if _PATH.fullmatch(path):
        if "." not in path:
            return None
        return f"{_STAYS}: white space inside the braces", f"Write {{{path}}}."
    if "." not in path and "[" not in path:  # prose such as {input or output}
        return None
    return f"{_STAYS}: only a dotted path is allowed", "Use a template for anything else."


def _all_of(
    use: TemplateName, known: KnownNames, reading: ParsedTemplate
) -> tuple[str, str] | None:
    if use.path not in ("input", "context") or reading.has_jinja or use.path not in known.names:
        return None
    what = "inputs" if use.path == "input" else "packs"
    return (
        f"the placeholder is replaced by all {what} as JSON",
        f"Name one of them, such as {{{use.path}.name}}.",
    )


def _misspelt(use: TemplateName, known: KnownNames) -> tuple[str, str] | None:
    if declared_as(use, known):
        return None
    guess = _meant(use.first, known.names) if "." in use.path else None
    return (_STAYS, f"Write {{{guess}{use.path[len(use.first) :]}}}.") if guess else None


def _meant(name: str, names: frozenset[str]) -> str | None:
    """The known name that was probably meant: similar, same first letter, about as long."""
    guess = nearest(name.lower(), names)
    if guess and guess[0] == name[0].lower() and abs(len(guess) - len(name)) <= 2:
        return guess
    return None
