"""The words of a query that are worth searching for."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from itertools import pairwise
from typing import Final

from biblicus_context.base.doors import door
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
    rarer = tuple([term for term in terms if found_in.get(term, 0) <= share * blocks])
    return rarer if any(map(found_in.get, rarer)) else tuple(terms)


def _words(text: str) -> list[str]:
    found: list[str] = []
    for unspaced, word in _RUNS.findall(text):
        if unspaced:
            found += _pairs(unspaced)
        else:
            # Not casefold: the index keeps "ß", and would not find "ss".
            found.append(word.lower())
            # "parseBody" is a name in code; "GitHub" and "iPhone" are names of their own.
            # Most words have one case and no digits, and are not looked at further.
            if word[:2].islower() and not (word.isalpha() and word.islower()):
                found += [part.lower() for part in identifier_parts(word)]
    return found


_WORD: Final = re.compile(r"[^\W_]+")
_HUMP: Final = re.compile(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+|[0-9]+")


def identifier_parts(text: str) -> list[str]:
    """The parts of the names in camel case, each once, in order.

    Snake case needs no help: every search reads an underscore as a space.

    >>> identifier_parts("parseHTTPHeader(raw_text, parseBody)")
    ['parse', 'HTTP', 'Header', 'Body']
    """
    return list(
        dict.fromkeys(
            hump for word in _WORD.findall(text) if len(humps := _humps(word)) > 1 for hump in humps
        )
    )


@door
def split_identifiers(text: str) -> str:
    """The words of a name, separated by spaces.

    >>> split_identifiers("HTTPServer.get_userName2")
    'HTTP Server get user Name 2'
    """
    return " ".join(hump for word in _WORD.findall(text) for hump in _humps(word))


def _humps(word: str) -> list[str]:
    """The parts of a name; a word with other letters has only one."""
    humps = _HUMP.findall(word)
    return humps if "".join(humps) == word else [word]


_RUN: Final = re.compile(f"[{UNSPACED}]{{2,}}")


def _pairs(run: str) -> list[str]:
    """Every two adjacent characters; the run itself if it has only one.

    >>> _pairs("東京都")
    ['東京', '京都']
    """
    return [first + second for first, second in pairwise(run)] or [run]


def _all_pairs(text: str) -> str:
    """The pairs of every run of such characters, with spaces between them.

    >>> _all_pairs("Tokyo (東京都) 2")
    '東京 京都'
    """
    if text.isascii():
        return ""
    return " ".join(pair for run in _RUN.findall(text) for pair in _pairs(run))


def text_index_text(text: str) -> str | None:
    """Text with the pairs of unspaced scripts; None if prose can be searched as it is."""
    extra = _all_pairs(text)
    return f"{text}\n{extra}" if extra else None


def code_index_text(text: str, *, language: str, name: str = "", docstring: str = "") -> str:
    """Code with its language and the parts of its names; its own name and docstring count twice.

    In a corpus of one language its name is in every block, so it weighs nothing there.

    >>> print(code_index_text("def readAll(): ...", language="python", name="readAll"))
    python def readAll(): ...
    read All
    read All.
    """
    title = f"{split_identifiers(name)}. {docstring}".strip() if name else docstring
    lines = [
        f"{language} {text}",
        " ".join(identifier_parts(text)),
        title,
        _all_pairs(text),
    ]
    return "\n".join(line for line in lines if line)


def turn_index_text(text: str, *, speaker: str = "", date: str = "") -> str:
    """A turn with its speaker and date, as queries name both.

    >>> turn_index_text("I moved out.", speaker="Ada", date="8 May 2023")
    'Ada (8 May 2023): I moved out.'
    """
    label = f"{speaker} ({date})" if speaker and date else speaker or date
    line = f"{label}: {text}" if label else text
    extra = _all_pairs(text)
    return f"{line}\n{extra}" if extra else line
