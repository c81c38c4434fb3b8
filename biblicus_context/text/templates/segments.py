"""Texts with nothing but placeholders, cut into their words and the paths that they name."""

from __future__ import annotations

import re
from typing import Final, TypeAlias

from biblicus_context.text.templates.placeholders import PLACEHOLDER

Path: TypeAlias = tuple[str, ...]
"""A dotted path, as its names."""

_PLACEHOLDER: Final = re.compile(
    rf"{PLACEHOLDER.pattern}|\{{\{{[ \t]*([^\W\d_]\w*(?:\.(?:[^\W\d_]\w*|[0-9]+))*)[ \t]*\}}\}}"
)
_JINJA_SIGNS: Final = ("{{", "{%", "{#")


def segments_of(source: str) -> tuple[str | Path, ...] | None:
    """The words and the paths of a text in turn, words first and last; None if it needs Jinja2.

    >>> segments_of("- {content} ({{ metadata.tier }})")
    ('- ', ('content',), ' (', ('metadata', 'tier'), ')')
    >>> segments_of("{% if title %}{title}{% endif %}") is None
    True
    """
    found: list[str | Path] = []
    end = 0
    for match in _PLACEHOLDER.finditer(source):
        found += (source[end : match.start()], tuple((match[1] or match[2]).split(".")))
        end = match.end()
    found.append(source[end:])
    if any(sign in words for words in found[::2] for sign in _JINJA_SIGNS):
        return None
    return tuple(found)
