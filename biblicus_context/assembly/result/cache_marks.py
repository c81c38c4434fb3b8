"""Cache marks: where a plan says that what is the same in every call ends.

A mark inside a message cuts its text into two blocks, and tokens do not reach over a cut: `a.` and
two line breaks are one token of `a.\n\n/`, or a part of one. So a text is cut only where its parts
count as much as the whole.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Any, Final, NamedTuple

from biblicus_context.assembly.draft import Draft
from biblicus_context.assembly.result.spans import PartSpan
from biblicus_context.text.counters import Counter

_DIRECTIVE = re.compile(r"messages\[(\d+)\]")
_WORD_END = re.compile(r"(?<=\w)(?= )")
_MOST_WORDS: Final = 8
"""Ends of words that are tried: nearly every one can be a cut."""
_LOOK_BACK: Final = 400


class CacheMark(NamedTuple):
    """The end of a message, or of its first N characters."""

    message: int
    characters: int | None


def cache_marks(
    draft: Draft, spans: Sequence[PartSpan], messages: Sequence[Mapping[str, Any]]
) -> Iterator[CacheMark]:
    """The ends of the placed parts that are marked `cache: true`, in order; or the last cut before one."""
    end_of_message = {span.message: span.end for span in spans}
    last_span = {span.part: span for span in spans}
    cuts = {span.message: 0 for span in spans}
    for span in last_span.values():
        if not _is_marked(draft, span.place):
            continue
        if span.end == end_of_message[span.message]:
            yield CacheMark(span.message, None)
            continue
        before, text = cuts[span.message], messages[span.message]["content"]
        places = (span.end, *_places(text, span.end))
        cut = _first_free(draft.limits.counter, text[before:], (at - before for at in places))
        if cut:
            cuts[span.message] = before + cut
            yield CacheMark(span.message, before + cut)


def free_cut(counter: Counter, text: str, end: int) -> int:
    """Where a text can be cut near the end of a part without a token more; 0 where it cannot."""
    return _first_free(counter, text, _places(text, end))


def _places(text: str, end: int) -> Iterator[int]:
    """After the line breaks, which most vocabularies join to the word before; else after a word."""
    rest = text[end:]
    yield end + len(rest) - len(rest.lstrip("\n"))
    first = max(0, end - _LOOK_BACK)
    words = [first + found.start() for found in _WORD_END.finditer(text[first:end])]
    yield from islice(reversed(words), _MOST_WORDS)


def _first_free(counter: Counter, text: str, places: Iterable[int]) -> int:
    whole = counter.count(text)
    for at in places:
        parts = [text[: max(0, at)], text[max(0, at) :]]
        if all(map(str.strip, parts)) and sum(counter.count_many(parts)) <= whole:
            return at
    return 0


def _is_marked(draft: Draft, place: str) -> bool:
    """Whether the directive at this place is marked, itself or as the group of an alternative."""
    directive = _DIRECTIVE.match(place)
    if directive is None or draft.context.messages is None:
        return False
    return draft.context.messages[int(directive[1])].cache
