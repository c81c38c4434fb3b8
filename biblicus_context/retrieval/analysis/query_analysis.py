"""What a query says besides its words: keywords, language, quoted phrases and names of files."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from biblicus_context.base.doors import door
from biblicus_context.retrieval.analysis.language import function_words, language_of
from biblicus_context.retrieval.analysis.terms import STOP_WORDS, query_terms

_MOST_CHARACTERS: Final = 4_000
"""As in a search: what is after it changes little, and costs as much."""
_MOST: Final = 20
"""Phrases and names of files."""
_PHRASE: Final = re.compile(
    r'"([^"\n]{0,200})"|“([^“”\n]{0,200})”|„([^„“”\n]{0,200})[“”]|«([^«»\n]{0,200})»'
)
_FILE: Final = re.compile(
    r"(?<![\w./\\-])(?:[\w.-]{1,100}[/\\]){0,20}[\w-][\w.-]{0,99}\.[A-Za-z][\w]{0,9}(?![\w/\\])"
)
_SITE: Final = re.compile(r"\w+://|^www\.", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class QueryAnalysis:
    """What a query says besides its words; all of it is plain text, none of it is query syntax."""

    text: str
    keywords: tuple[str, ...]
    """The words worth searching for, each once, in order."""
    language: str | None
    """Such as "en"; None if too little says which one it is."""
    phrases: tuple[str, ...]
    """What is in quotes."""
    file_names: tuple[str, ...]
    """Names of files, with folders where the query has them."""


@door
def analyze_query(text: str) -> QueryAnalysis:
    """Read a query; the same text gives the same analysis.

    >>> found = analyze_query('Where does docs/plan.md say "ship on Friday"?')
    >>> found.keywords, found.language, found.phrases, found.file_names
    (('docs', 'plan', 'md', 'say', 'ship', 'friday'), 'en', ('ship on Friday',), ('docs/plan.md',))
    """
    start = text[:_MOST_CHARACTERS]
    language = language_of(start)
    words = query_terms(start, STOP_WORDS | {*function_words(language)})
    return QueryAnalysis(
        text=text,
        keywords=tuple(dict.fromkeys(words)),
        language=language,
        phrases=phrases_of(start),
        file_names=file_names_of(start),
    )


def phrases_of(text: str) -> tuple[str, ...]:
    """What a query has in quotes, each once, in order."""
    found = (" ".join("".join(each).split()) for each in _PHRASE.findall(text[:_MOST_CHARACTERS]))
    return tuple(dict.fromkeys(filter(None, found)))[:_MOST]


@door
def file_names_of(text: str) -> tuple[str, ...]:
    """Words that are written as names of files, each once, in order.

    >>> file_names_of("Compare src/app.py with notes.md, e.g. at www.example.org or v1.2")
    ('src/app.py', 'notes.md')
    """
    words = (word.strip("\"'`()[]{}<>,;:!?") for word in text[:_MOST_CHARACTERS].split())
    found = (word.rstrip(".") for word in words if not _SITE.search(word))
    named = (each.replace("\\", "/") for each in found if _FILE.fullmatch(each))
    return tuple(dict.fromkeys(each for each in named if not _ABBREVIATION.fullmatch(each)))[:_MOST]


_ABBREVIATION: Final = re.compile(r"(?:[A-Za-z]\.)+[A-Za-z]")
"""Such as "e.g": a name of a file has more than one letter before its suffix."""
