"""Tags and fences around a placeholder, which its value could close."""

from __future__ import annotations

import re
from typing import Final

_TAG: Final = re.compile(r"<(?P<end>/?)(?P<name>[A-Za-z][\w.:-]*)(?P<rest>[^<>]*)>")
_OPEN_TAG: Final = re.compile(r"<[A-Za-z][\w.:-]*[^<>]*\Z")
_FENCES: Final = ("```", "~~~", '"""', "'''")


def has_marks(text: str) -> bool:
    """Whether a text contains a tag or a fence."""
    return "<" in text or any(fence in text for fence in _FENCES)


def enclosing(before: str, after: str) -> str | None:
    """The innermost tag or fence that is open between two texts.

    >>> enclosing("Read <page>", "</page>"), enclosing("Read ", "")
    ('<page>', None)
    """
    if _OPEN_TAG.search(before) and ">" in after:
        return "a tag"
    for name in reversed(_open_tags(before)):
        if f"</{name}>" in after:
            return f"<{name}>"
    for fence in _FENCES:
        if before.count(fence) % 2 and fence in after:
            return fence
    return None


def _open_tags(text: str) -> list[str]:
    names: list[str] = []
    for tag in _TAG.finditer(text):
        if not tag["end"]:
            names += [] if tag["rest"].endswith("/") else [tag["name"]]
        elif tag["name"] in names:
            del names[len(names) - 1 - names[::-1].index(tag["name"]) :]
    return names
