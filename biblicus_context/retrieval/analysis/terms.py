"""The words of a query that are worth searching for."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from typing import Final

from biblicus_context.base.doors import door
from biblicus_context.retrieval.analysis.identifiers import identifier_parts
from biblicus_context.retrieval.analysis.unspaced import pairs
from biblicus_context.text.cutting.cutting import UNSPACED

_ENGLISH: Final = """
    a about above after again against all am an and any are as at be because been before being
    below between both but by can cannot could did do does doing down during each few for from
    further had has have having he her here hers herself him himself his how i if in into is it its
    itself let me more most must my myself no nor not of off on once only or other ought our ours
    ourselves out over own same shall she should so some such than that the their theirs them
    themselves then there these they this those through to too under until up very was we were what
    when where which while who whom whose why will with would you your yours yourself yourselves
"""

STOP_WORDS: Final = frozenset(_ENGLISH.split())
"""English function words.

Other languages need no list: their function words are in most blocks, so `rare_terms` drops them.
"""

_MARKS: Final = "\u0300-\u036f\u0591-\u05c7\u064b-\u065f\u0900-\u0963\u0966-\u0dff"
_RUNS: Final = re.compile(f"([{UNSPACED}]+)|((?:[^\\W_{UNSPACED}]|[{_MARKS}])+)")
_CONTRACTED: Final = re.compile(
    r"\b[a-z]{1,6}n['’ʼ]t\b|(?<=[a-z])['’ʼ](?:s|re|ve|ll|d|m)\b", re.IGNORECASE
)
"""Function words shortened by an apostrophe: their rests, such as "doesn", would count as words."""
_MOST_CHARACTERS: Final = 4_000
"""A longer query, such as a whole document, is cut: later words change little, and cost as much."""


@door
def query_terms(text: str, stop_words: Collection[str] = STOP_WORDS) -> tuple[str, ...]:
    """The words worth searching for, in order, repeated as often as in the query.

    None of them is query syntax. If every word is a stop word, all of them count.

    >>> query_terms("Why doesn't parseBody() retry Ada's retry?")
    ('parsebody', 'parse', 'body', 'retry', 'ada', 'retry')
    """
    text = text[:_MOST_CHARACTERS]
    kept = [word for word in _words(_CONTRACTED.sub(" ", text)) if word not in stop_words]
    return tuple(kept or _words(text))


def rare_terms(
    terms: Sequence[str], found_in: Mapping[str, int], blocks: int, *, share: float = 0.5
) -> tuple[str, ...]:
    """The terms without those in more than this share of all blocks, if a rarer one is found.

    A word in every block, such as "python" in a folder of Python, says nothing and costs time.

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
            # Most words have one case and no digits, and are not looked at further.
            if word[:2].islower() and not (word.isalpha() and word.islower()):
                found += [part.lower() for part in identifier_parts(word)]
    return found
