"""How much two assemblies begin with in common: what a provider's cache can serve again."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from biblicus_context.pages.wording import message_text
from biblicus_context.text.counters import Counter

_EXCERPT = 40


@dataclass(frozen=True, slots=True)
class Prefix:
    """Where two streams of messages part, and what they share before."""

    tokens: int
    """Of the texts, without what a model's format puts around them."""
    messages: int
    """Whole messages that are the same."""
    before: str | None
    """How the one goes on where they part; None where it ends there."""
    after: str | None
    """How the other goes on."""
    line: int = 1
    column: int = 1

    @property
    def is_whole(self) -> bool:
        """Whether the two are the same to the end."""
        return self.before is None and self.after is None


def shared_prefix(
    before: Sequence[Mapping[str, Any]], after: Sequence[Mapping[str, Any]], counter: Counter
) -> Prefix:
    """What two lists of messages begin with in common."""
    same = _first_difference(before, after)
    tokens = sum(counter.count_many([message_text(message) for message in before[:same]]))
    if same == min(len(before), len(after)) or before[same].get("role") != after[same].get("role"):
        return Prefix(tokens, same, _begin(before, same), _begin(after, same))
    one, other = message_text(before[same]), message_text(after[same])
    common = one[: _first_difference(one, other)]
    return Prefix(
        tokens + counter.count(common),
        same,
        _excerpt(one, len(common)),
        _excerpt(other, len(common)),
        common.count("\n") + 1,
        len(common) - common.rfind("\n"),
    )


def _first_difference(one: Sequence[object], other: Sequence[object]) -> int:
    pairs = enumerate(zip(one, other, strict=False))
    return next((at for at, (a, b) in pairs if a != b), min(len(one), len(other)))


def _begin(messages: Sequence[Mapping[str, Any]], at: int) -> str | None:
    """How the message at this place begins, where there is one."""
    if at == len(messages):
        return None
    message = messages[at]
    return f"[{message.get('role')}] {_excerpt(message_text(message), 0)}"


def _excerpt(text: str, start: int) -> str:
    return text[start : start + _EXCERPT]
