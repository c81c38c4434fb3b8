"""Exact o200k counts: the one measure that every library is held to."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from splintr import Tokenizer

if TYPE_CHECKING:
    from collections.abc import Iterable

    from benchmarks.messages import Message


@cache
def tokenizer() -> Tokenizer:
    """The o200k vocabulary, loaded once."""
    return Tokenizer.from_pretrained("o200k_base")


def count(text: str) -> int:
    """The o200k tokens of one text."""
    return len(tokenizer().encode_ordinary(text))


def tokens_sent(messages: Iterable[Message]) -> int:
    """Contents, tool names and tool arguments; no framing, since that differs by model."""
    return sum(
        count(message.content or "")
        + sum(count(call.name) + count(call.arguments) for call in message.calls)
        for message in messages
    )
