"""Plain messages: dictionaries of a speaking role and a text only, as most are."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from operator import itemgetter
from typing import Any, Final

SPEAKING_ROLES: Final = frozenset({"system", "developer", "user", "assistant", "model"})
_KEYS: Final = 2
_role: Final = itemgetter("role")
_content: Final = itemgetter("content")


def plain_contents(messages: Sequence[Mapping[str, Any]]) -> list[str] | None:
    """The texts of plain messages, or None if one is not plain."""
    # Every step is a loop in C: this is most of the cost of measuring a known history.
    if not ({dict}.issuperset(map(type, messages)) and {_KEYS}.issuperset(map(len, messages))):
        return None
    try:
        speaking = SPEAKING_ROLES.issuperset(map(_role, messages))
        contents = list(map(_content, messages))
    except (KeyError, TypeError):
        return None
    return contents if speaking and {str}.issuperset(map(type, contents)) else None
