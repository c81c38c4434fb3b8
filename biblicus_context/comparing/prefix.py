"""Where two assemblies part, and what they begin with in common."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from biblicus_context.assembly.result.same_prefix import common_length, same_prefix
from biblicus_context.pages.wording import message_text
from biblicus_context.text.messages.meter import MessageMeter

_EXCERPT = 40


@dataclass(frozen=True, slots=True)
class SharedPrefix:
    """Where two lists of messages part, and what they share before."""

    tokens: int
    """As the receipt's `same_prefix` has them."""
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
    before: Sequence[Mapping[str, Any]], after: Sequence[Mapping[str, Any]], meter: MessageMeter
) -> SharedPrefix:
    """What two lists of messages begin with in common, and how each goes on."""
    same, tokens = same_prefix(before, after, meter)
    if same == min(len(before), len(after)) or before[same].get("role") != after[same].get("role"):
        return SharedPrefix(tokens, same, _begin(before, same), _begin(after, same))
    one, other = message_text(before[same]), message_text(after[same])
    common = one[: common_length(one, other)]
    return SharedPrefix(
        tokens,
        same,
        _excerpt(one, len(common)),
        _excerpt(other, len(common)),
        common.count("\n") + 1,
        len(common) - common.rfind("\n"),
    )


def _begin(messages: Sequence[Mapping[str, Any]], at: int) -> str | None:
    """How the message at this place begins, where there is one."""
    if at == len(messages):
        return None
    message = messages[at]
    return f"[{message.get('role')}] {_excerpt(message_text(message), 0)}"


def _excerpt(text: str, start: int) -> str:
    return text[start : start + _EXCERPT]
