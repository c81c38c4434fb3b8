"""Questions that cannot be understood without what was said before."""

from __future__ import annotations

import re
from typing import Final

from biblicus_context.base.doors import door
from biblicus_context.retrieval.analysis.small_talk import (
    SMALL_TALK,
    is_small_talk,
    telling_terms,
)
from biblicus_context.retrieval.analysis.terms import query_terms

_BEGINS: Final = re.compile(
    r"\s*(?:and|but|or|what about|how about|what if|und|aber|et|y)\b", re.IGNORECASE
)
_REFERS: Final = re.compile(
    r"\b(?:it|its|they|them|their|theirs|that|these|those|he|him|she|her|ones|former|latter|previous"
    r"|elsewhere|instead|the (?:same|other|next|last|first|second) one|this(?! (?:\w*day|week|month|year"
    r"|quarter|morning|evening|spring|summer|autumn|winter)))\b",
    re.IGNORECASE,
)
_SHORT: Final = 6
"""Telling words up to which a pronoun is taken for what was said before."""


@door
def is_follow_up(text: str) -> bool:
    """Whether a message seems to need what was said before it: by how it begins, and what it refers to.

    >>> [is_follow_up(each) for each in ("And for Austria?", "How long did it last?", "Thanks, bye!")]
    [True, True, False]
    >>> is_follow_up("banana smoothie recipe")
    False
    """
    if len(telling_terms(text)) > _SHORT:
        return False
    if _BEGINS.match(text):  # "And thanks!" only thanks
        return not all(each in SMALL_TALK for each in query_terms(text, ())[1:])
    return bool(_REFERS.search(text)) and not is_small_talk(text)


WEIGHT: Final = 3
"""How often the query is written after the last question.

Once, a question about something else is drowned by the one before it. Figures:
`python -m benchmarks.follow_ups`.
"""


@door
def with_last_question(query: str, last: str) -> str:
    """A query with the question before it, which weighs less than the query itself.

    >>> with_last_question("And Team?", "What does Solo cost?")
    'What does Solo cost?\\nAnd Team?\\nAnd Team?\\nAnd Team?'
    """
    return "\n".join([last, *[query] * WEIGHT]) if last else query
