"""Messages as one text: for models and logs that take no messages."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any


def labelled(turns: Iterable[Mapping[str, Any]]) -> list[str]:
    """The texts of messages, each after its role; messages without a text are left out."""
    texts = ((str(turn.get("role", "")), text_of(turn.get("content"))) for turn in turns)
    return [f"{role.capitalize()}: {text}" for role, text in texts if text]


def text_of(content: object) -> str:
    """The text of a content, or of its parts.

    >>> text_of([{"type": "text", "text": "Look:"}, {"type": "image_url"}])
    'Look:'
    """
    if isinstance(content, str):
        return content
    if not isinstance(content, list | tuple):
        return ""
    parts = (part.get("text") for part in content if isinstance(part, Mapping))
    return "\n".join(part for part in parts if isinstance(part, str))
