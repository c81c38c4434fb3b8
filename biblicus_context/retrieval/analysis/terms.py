"""The words of a query, as a search for any of them takes them."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from typing import Final

from biblicus_context.retrieval.analysis.identifiers import identifier_parts
from biblicus_context.retrieval.analysis.stop_words import STOP_WORDS
from biblicus_context.retrieval.analysis.unspaced import pairs
from biblicus_context.text.cutting.cutting import UNSPACED

_MARKS: Final = "\u0300-\u036f\u0591-\u05c7\u064b-\u065f\u0900-\u0963\u0966-\u0dff"
_RUNS: Final = re.compile(f"([{UNSPACED}]+)|((?:[^\\W_{UNSPACED}]|[{_MARKS}])+)")
_CONTRACTED: Final = re.compile(
    r"\b[a-z]{1,6}n['’ʼ]t\b|(?<=[a-z])['’ʼ](?:s|re|ve|ll|d|m)\b", re.IGNORECASE
)
"""Function words that an apostrophe has shortened: what is left of them would look like words."""
_MOST_CHARACTERS: Final = 4_000
"""A whole document as a query is cut here: words that come later change little, and cost as much."""


def query_terms(text: str, stop_words: Collection[str] = STOP_WORDS) -> tuple[str, ...]:
    """The words worth searching for, in order and as often as they are said.

    Nothing in them is syntax of a search. Where every word is a stop word, all of them count.

    >>> query_terms("Why doesn't parseBody() retry Ada's retry?")
    ('parsebody', 'parse', 'body', 'retry', 'ada', 'retry')
    """
    text = text[:_MOST_CHARACTERS]
    kept = [word for word in _words(_CONTRACTED.sub(" ", text)) if word not in stop_words]
    return tuple(kept or _words(text))


def rare_terms(
    terms: Sequence[str], found_in: Mapping[str, int], blocks: int, *, share: float = 0.5
) -> tuple[str, ...]:
    """The terms without those that more than this share of all blocks have, if a rarer one is found.

    So a word that every block has, as "python" in a folder of Python, costs no time and is no clue.

    >>> rare_terms(["python", "yaml"], {"python": 90, "yaml": 3}, blocks=100)
    ('yaml',)
    """
    rarer = tuple(term for term in terms if found_in.get(term, 0) <= share * blocks)
    return rarer if any(found_in.get(term, 0) for term in rarer) else tuple(terms)


def _words(text: str) -> list[str]:
    found: list[str] = []
    for unspaced, word in _RUNS.findall(text):
        if unspaced:
            found += pairs(unspaced)
        else:
            # Not casefold: the index keeps "ß", and would not find "ss".
            found.append(word.lower())
            # "parseBody" is a name in code; "GitHub" and "iPhone" are names of their own.
            if word[:2].islower():
                found += [part.lower() for part in identifier_parts(word)]
    return found
