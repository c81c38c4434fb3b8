"""A cut that says so: the mark is counted together with the text beside it."""

from __future__ import annotations

from collections.abc import Callable

from biblicus_context.text.compactors.request import CompactionRequest
from biblicus_context.text.cutting.cutting import longest_start


def with_mark(request: CompactionRequest, mark: str, marked: Callable[[int], str]) -> str:
    """The longest marked text that fits; the start alone where the mark leaves no room.

    `marked` cuts the text to a number of tokens and adds the mark; "" says that nothing is left.
    """
    room = request.max_tokens - request.counter.count(mark)
    while room > 0:
        text = marked(room)
        over = request.counter.count(text) - request.max_tokens
        if text and over <= 0:
            return text
        room -= max(1, over) if text else room
    return longest_start(request.text, request.max_tokens, request.counter)
