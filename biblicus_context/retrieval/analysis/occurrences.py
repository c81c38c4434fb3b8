"""Where the words of a query are in a text."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import Final, NamedTuple

from biblicus_context.text.cutting.cutting import UNSPACED

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
