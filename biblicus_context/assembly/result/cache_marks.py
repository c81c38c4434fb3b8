"""Cache marks: where a plan says that what is the same in every call ends."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from biblicus_context.assembly.draft import Draft
from biblicus_context.assembly.result.spans import PartSpan

_DIRECTIVE = re.compile(r"messages\[(\d+)\]")


class CacheMark(NamedTuple):
    """The end of a message, or of its first N characters."""

    message: int
    characters: int | None


def cache_marks(draft: Draft, spans: Sequence[PartSpan]) -> Iterator[CacheMark]:
    """The ends of the placed parts that are marked `cache: true`, in order."""
    end_of_message = {span.message: span.end for span in spans}
    last_span = {span.part: span for span in spans}
    for span in last_span.values():
        if _is_marked(draft, span.place):
            is_end = span.end == end_of_message[span.message]
            yield CacheMark(span.message, None if is_end else span.end)


def _is_marked(draft: Draft, place: str) -> bool:
    """Whether the directive at this place is marked, itself or as the group of an alternative."""
    directive = _DIRECTIVE.match(place)
    if directive is None or draft.context.messages is None:
        return False
    return draft.context.messages[int(directive[1])].cache
