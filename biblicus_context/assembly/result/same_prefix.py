"""How many leading tokens of a call are byte-identical with those of an earlier one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from biblicus_context.assembly.call import Message, Previous
from biblicus_context.assembly.limits import Limits


class SamePrefix(NamedTuple):
    """What a provider's cache can serve again."""

    tokens: int
    of: int
    """All tokens of the earlier call."""


def same_prefix(
    previous: Previous, messages: Sequence[dict[str, Any]], limits: Limits
) -> SamePrefix:
    """Counted over the messages as they are sent; of one that differs, up to the last equal word."""
    before = previous.messages
    pairs = enumerate(zip(before, messages, strict=False))
    same = next((at for at, (one, other) in pairs if one != other), None)
    if same is None:
        same = min(len(before), len(messages))
        begun = ""
    else:
        begun = _same_text(before[same], messages[same])
    tokens = sum(limits.meter.measure_many(messages[:same]))
    return SamePrefix(tokens + (limits.counter.count(begun) if begun else 0), previous.tokens)


def _same_text(one: Message, other: Message) -> str:
    """What two messages begin with that differ in nothing but their text, in whole words."""
    text, also = one.get("content"), other.get("content")
    if not isinstance(text, str) or not isinstance(also, str):
        return ""
    if {**one, "content": ""} != {**other, "content": ""}:
        return ""
    common = text[: _common(text, also)]
    # A word that goes on differently is cut into other tokens.
    return common[: max(common.rfind(" "), common.rfind("\n"), 0)]


def _common(one: str, other: str) -> int:
    """How many characters two texts begin with in common, by halving."""
    low, high = 0, min(len(one), len(other))
    while low < high:
        middle = (low + high + 1) // 2
        if one[low:middle] == other[low:middle]:
            low = middle
        else:
            high = middle - 1
    return low
