"""An excerpt: the part of a text around the words of a query, with these words marked."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter as Tally
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from typing import Final, NamedTuple, TypeAlias

from biblicus_context.text.counters import Counter
from biblicus_context.text.cutting.cutting import UNSPACED, longest_start
from biblicus_context.text.cutting.graphemes import boundary_after, boundary_before

_CUT: Final = "…"
_DENSITY: Final = 5
"""Characters for a token, as a first guess: too many are cut off again."""
_MOST_TRIES: Final = 8
_SHRINK: Final = 0.9
"""A try aims a little below the limit, so that the next one fits."""
_WORD_REACH: Final = 24
"""How far the end of an excerpt moves to fall between words."""
_LONGEST: Final = 200_000
"""Characters of a text that are looked at."""

Marks: TypeAlias = tuple[str, str]
"""What is written before and after each word of the query."""


def excerpt(
    text: str, terms: Sequence[str], most: int, counter: Counter, marks: Marks = ("", "")
) -> str:
    """The part of a text with the most words of a query, within a number of tokens, marks included.

    Without any of the words it is the start of the text.

    >>> from biblicus_context.text.counters.simple import WhitespaceCounter
    >>> excerpt("Not now. We ship on Friday. Not later.", ["ship"], 4, WhitespaceCounter(), ("<", ">"))
    '…now. We <ship> on…'
    """
    head = text[:_LONGEST]
    found = occurrences(head, terms)
    if head == text and len(text) <= most * _DENSITY * 2:
        whole = _written(text, 0, len(text), found, marks)
        if counter.count(whole) <= most:
            return whole
    size = most * _DENSITY
    for _ in range(_MOST_TRIES):
        start, end = _window(head, found, size)
        written = _written(text, start, end, found, marks)
        tokens = counter.count(written)
        if tokens <= most:
            return written
        size = max(1, int(min(size, end - start) * _SHRINK * most / tokens))
    start, _ = _window(head, found, size)
    # One grapheme may be more than all tokens; a block is never empty.
    return longest_start(text[start:], most, counter) or text[: boundary_after(text, 1)]


def _window(text: str, found: Sequence[Occurrence], size: int) -> tuple[int, int]:
    """The start and end of about so many characters around the best run of occurrences."""
    first, last = _best_run(found, size)
    spare = max(0, size - (last - first))
    start = max(0, first - spare // 2)
    end = min(len(text), start + size)
    start = max(0, min(start, end - size))
    return _word_start(text, start, first), _word_end(text, end, min(last, end))


def _best_run(found: Sequence[Occurrence], size: int) -> tuple[int, int]:
    """Where the most different words are near each other; of equal runs the one with more words."""
    best, run = (0, 0), (0, 0)
    inside: Tally[str] = Tally()
    begin = 0
    for number, each in enumerate(found):
        inside[each.stem] += 1
        while begin < number and each.end - found[begin].start > size:
            gone = found[begin].stem
            inside[gone] -= 1
            if not inside[gone]:
                del inside[gone]
            begin += 1
        value = len(inside), number - begin + 1
        if value > best:
            best, run = value, (found[begin].start, each.end)
    return run


def _word_start(text: str, start: int, first: int) -> int:
    """The start, moved to the next word unless that would lose what is to be shown."""
    if start == 0 or text[start - 1].isspace():
        return start
    for at in range(start, min(start + _WORD_REACH, first)):
        if text[at].isspace():
            return at + 1
    return boundary_after(text, start) if start < first else boundary_before(text, start)


def _word_end(text: str, end: int, last: int) -> int:
    """The end, moved to the previous word in the same way."""
    if end >= len(text) or text[end].isspace():
        return min(end, len(text))
    for at in range(end, max(end - _WORD_REACH, last), -1):
        if text[at - 1].isspace():
            return at - 1
    return boundary_before(text, end)


def _written(text: str, start: int, end: int, found: Sequence[Occurrence], marks: Marks) -> str:
    parts = [_CUT] if start > 0 else []
    at = start
    for each in found if any(marks) else ():
        if start <= each.start and each.end <= end:
            parts += [text[at : each.start], marks[0], text[each.start : each.end], marks[1]]
            at = each.end
    parts.append(text[at:end].rstrip() if end < len(text) else text[at:end])
    return "".join([*parts, _CUT] if end < len(text) else parts)


_WORD: Final = re.compile(rf"(?:(?![_{UNSPACED}])[\w'’\u0300-\u036f])+")
_ENDING: Final = re.compile(r"(?:['’]s|ings?|edly|ed|ly|ers?|es|(?<!s)s|e)$")
_SHORTEST: Final = 3
"""Letters that a stem has at least: "this" is not a form of "thing"."""


class Occurrence(NamedTuple):
    """A word of a query in a text."""

    start: int
    end: int
    stem: str
    """The same for all forms of a word."""


def occurrences(text: str, terms: Iterable[str]) -> list[Occurrence]:
    """Every place of the terms, in order, also in another form, case or accent; none overlap.

    >>> [(each.start, each.stem) for each in occurrences("She shipped the ships.", ["ship"])]
    [(4, 'ship'), (16, 'ship')]
    """
    wanted = [*dict.fromkeys(terms)]
    stems = {_stem(each) for each in wanted}
    unspaced = [each for each in wanted if re.match(f"[{UNSPACED}]", each)]
    found = [*_words(text, stems), *_pairs(text, unspaced)]
    return sorted(found) if unspaced else found


def _words(text: str, stems: set[str]) -> Iterator[Occurrence]:
    for word in _WORD.finditer(text):
        stem = _stem(word[0])
        if stem in stems:
            yield Occurrence(word.start(), word.end(), stem)


def _pairs(text: str, terms: list[str]) -> Iterator[Occurrence]:
    """Scripts without spaces: a run of pairs that overlap is one occurrence."""
    if not terms:
        return
    start = end = -1
    for each in re.finditer(f"(?=({'|'.join(map(re.escape, terms))}))", text):
        if each.start() > end:
            if end > start:
                yield Occurrence(start, end, text[start:end])
            start = each.start()
        end = each.end(1)
    if end > start:
        yield Occurrence(start, end, text[start:end])


@lru_cache(maxsize=4096)
def _stem(word: str) -> str:
    """A word without case, accents and the commonest endings: enough to mark it, not to find it."""
    plain = word.lower()
    if not plain.isascii():
        marks = unicodedata.normalize("NFD", plain)
        plain = "".join(each for each in marks if not unicodedata.combining(each))
    stem = _ENDING.sub("", plain)
    if len(stem) < _SHORTEST:
        return plain
    # "shipped", "planning": the doubled letter belongs to the ending.
    doubled = len(stem) > _SHORTEST and stem[-1] == stem[-2] and stem != plain
    return stem[:-1] if doubled and stem[-1] not in "lsz" else stem
