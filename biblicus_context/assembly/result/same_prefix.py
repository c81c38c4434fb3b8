"""What two calls begin with in common: what a provider's cache can serve again.

One answer for the receipt (`same_prefix`), for `diff` and for golden tests (`stable_prefix`).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from biblicus_context.assembly.call import Message
from biblicus_context.text.messages.meter import MessageMeter


class SamePrefix(NamedTuple):
    """How far two lists of messages are the same."""

    messages: int
    """Whole messages that are the same."""
    tokens: int
    """Of these with their framing, and of the words with which the next message begins alike."""


class ComparedPrefix(NamedTuple):
    """The prefix that a call has in common with the previous one, and that one's size."""

    tokens: int
    of: int


def same_prefix(
    before: Sequence[Message], after: Sequence[Message], meter: MessageMeter
) -> SamePrefix:
    """Counted as the messages are sent, framing included; the last message up to a whole word."""
    pairs = enumerate(zip(before, after, strict=False))
    same = next((at for at, (one, other) in pairs if one != other), None)
    if same is None:
        same = min(len(before), len(after))
        return SamePrefix(same, sum(meter.measure_many(before[:same])))
    begun = _same_text(before[same], after[same])
    return SamePrefix(same, sum(meter.measure_many(before[:same])) + meter.count(begun))


def _same_text(one: Message, other: Message) -> str:
    """The whole words that two messages begin with, where they differ in nothing but their text."""
    text, also = one.get("content"), other.get("content")
    if not isinstance(text, str) or not isinstance(also, str):
        return ""
    if {**one, "content": ""} != {**other, "content": ""}:
        return ""
    common = text[: common_length(text, also)]
    # A word that goes on differently may be other tokens from its first letter on.
    return common[: max(common.rfind(" "), common.rfind("\n"), 0)]


def common_length(one: str, other: str) -> int:
    """How many characters two texts begin with in common, by halving.

    >>> common_length("warehouse", "warehorse")
    6
    """
    low, high = 0, min(len(one), len(other))
    while low < high:
        middle = (low + high + 1) // 2
        if one[low:middle] == other[low:middle]:
            low = middle
        else:
            high = middle - 1
    return low
