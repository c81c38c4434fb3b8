"""What the links of a text point at, as they are written there."""

from __future__ import annotations

import re
from collections.abc import Mapping
from itertools import chain, islice
from pathlib import PurePosixPath
from typing import Final, NamedTuple

from biblicus_context.ingest.files.content import Content

_TARGET: Final = r"([^\s<>\"']{1,1000})"
_INLINE: Final = re.compile(r"\]\([ \t]*((?:[^()\s<>]|\([^()\s<>]{0,200}\)){1,1000})")
_BRACKETED: Final = re.compile(r"\]\([ \t]*<([^<>\n]{1,1000})>")
_DEFINED: Final = re.compile(rf"\]:[ \t]*<?{_TARGET}")
# Behind a sign that is looked for much faster than a word in either case.
_ATTRIBUTE: Final = re.compile(
    rf"=(?:(?<=[hH][rR][eE][fF]=)|(?<=[hH][rR][eE][fF] =))[ \t]*[\"']{_TARGET}"
)
_NAMED: Final = re.compile(r"\[\[([^\[\]|#\n]{1,200})")
_PHRASE: Final = re.compile(rf"<{_TARGET}>`_")
_ROLE: Final = re.compile(r":doc:`(?:[^`<\n]{0,200}<)?([^`<>\n]{1,1000})")
_EXPLICIT: Final = re.compile(rf"^\.\. _[^:\n]{{1,200}}:[ \t]+{_TARGET}", re.MULTILINE)

_MARKDOWN: Final = (_INLINE, _BRACKETED, _DEFINED, _ATTRIBUTE)
_PLACES: Final[Mapping[str, tuple[re.Pattern[str], ...]]] = {
    **dict.fromkeys((".md", ".markdown", ".mdx"), _MARKDOWN),
    **dict.fromkeys((".html", ".htm", ".xhtml"), (_ATTRIBUTE,)),
    ".rst": (_PHRASE, _ROLE, _EXPLICIT),
}


_MOST: Final = 10_000
"""Links of one text that are looked at; more of them are no text that people write."""


class Links(NamedTuple):
    """Where a text leads: to places beside it, and to notes by their names (`[[Name]]`)."""

    places: tuple[str, ...] = ()
    names: tuple[str, ...] = ()


def links_of(content: Content) -> Links:
    """The links of Markdown, HTML and reStructuredText, each once.

    >>> links_of(Content("a.md", b"See [tea](tea.md#water), [[Coffee]] and [us](/us.md).", None))
    Links(places=('tea.md#water', '/us.md'), names=('Coffee',))
    """
    suffix = PurePosixPath(content.name).suffix.lower()
    patterns = _PLACES.get(suffix)
    if patterns is None:
        return Links()
    text = content.text()
    return Links(_found(patterns, text), _found((_NAMED,), text) if patterns is _MARKDOWN else ())


def _found(patterns: tuple[re.Pattern[str], ...], text: str) -> tuple[str, ...]:
    matches = chain.from_iterable(pattern.finditer(text) for pattern in patterns)
    return tuple(dict.fromkeys(match[1].strip() for match in islice(matches, _MOST)))
