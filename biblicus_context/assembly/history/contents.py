"""A message of a history says something: an error names the key that was meant as its content."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from biblicus_context.errors import InputError, nearest

_CONTENT: Final = "content"
_USED_FOR_CONTENT: Final = ("text", "message", "value", "body", "prompt", "output", "input")
_INSTEAD: Final = frozenset(
    {
        *("tool_calls", "function_call", "refusal", "audio", "parts"),
        *("reasoning", "reasoning_content", "reasoning_details"),
    }
)
"""What a message may have instead of a content: most messages with calls have none."""


def refuse_without_content(messages: Sequence[Mapping[str, Any]], start: int) -> None:
    """Refuse messages without content; `start` is the number of the first in the history."""
    for number, message in enumerate(messages, start):
        if isinstance(message, Mapping) and "role" in message and _is_without(message):
            meant = _meant(message)
            raise InputError(
                "the message has no content",
                place=f"history[{number}]",
                found=meant,
                fix=f"Rename {meant!r} to 'content'."
                if meant
                else "Pass {'role': ..., 'content': ...}, or leave the message out.",
            )


def _is_without(message: Mapping[str, Any]) -> bool:
    return _CONTENT not in message and _INSTEAD.isdisjoint(message)


def _meant(message: Mapping[str, Any]) -> str | None:
    """The key that is most likely meant as the content."""
    keys = [key for key in message if isinstance(key, str) and key != "role"]
    known = [key for key in keys if key in _USED_FOR_CONTENT]
    return known[0] if known else nearest(_CONTENT, keys)
