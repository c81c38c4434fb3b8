"""Memories that say nearly the same with other values, such as two dates of one launch."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from math import log
from typing import Final, NamedTuple, TypeVar

from biblicus_context.base import door
from biblicus_context.retrieval import is_small_talk, query_terms
from biblicus_context.stores import stems_of
from biblicus_context.systems.memory.models import Memory

T = TypeVar("T")
_CODE: Final = re.compile(r"(?<![\w@])(?=[\w.-]*\d)(?=[\w.-]*[A-Za-z])[A-Za-z0-9][\w.-]*\w")
"""A word with letters and digits: a name such as `FB-2031`, `v4.1.7`, `K-110`."""
_ALIKE: Final = 0.45
"""The share of the rarer words of the shorter one that both have: then both say something of one thing."""
_LEAST: Final = 2
"""Words that they have in common at least."""
_LONGEST: Final = 2_000
"""Characters that are compared: what is longer is not one fact."""
_COMPARED: Final = 50
"""Of the first so many results pairs are compared."""
_OF_THE_QUERY: Final = 0.6
"""The share of the query's words, by rarity, of the one with most of them: with less, it is of another thing."""
_RARITY: Final = 0.3
_UNSEEN: Final = 20
"""Memories that are supposed besides those that are compared: of two, what both have is not frequent."""


class Subject(NamedTuple):
    """What a memory is about: its words, and the codes that it names."""

    words: frozenset[str]
    codes: frozenset[str]

    @classmethod
    def of(cls, text: str) -> Subject:
        """The subject of a text.

        >>> sorted(Subject.of("FB-2031 means that the card was declined.").codes)
        ['fb-2031']
        """
        start = text[:_LONGEST]
        # Numbers are the values in which two of them differ.
        words = (each for each in query_terms(start) if not each.isdecimal())
        stems = frozenset(stem for each in words for stem in stems_of(each))
        return cls(stems, codes_of(start))


def codes_of(text: str) -> frozenset[str]:
    """The names with letters and digits in a text, in lower case."""
    return frozenset(each.lower().rstrip(".") for each in _CODE.findall(text))


@door
def say_nearly_the_same(
    one: Subject, other: Subject, rarity: Callable[[str], float] = lambda _: 1.0
) -> bool:
    """Whether two memories say something of the same thing; `rarity` weighs the words.

    >>> launch = Subject.of("The launch is on 4 May.")
    >>> say_nearly_the_same(launch, Subject.of("The launch is on 25 May, as the permit was late."))
    True
    >>> say_nearly_the_same(launch, Subject.of("The office is closed on 1 May."))
    False
    """
    if one.codes and other.codes and not one.codes & other.codes:
        return False
    common = one.words & other.words
    shorter = min((one.words, other.words), key=len)
    if len(common) < min(_LEAST, len(shorter)) or not common:
        return False
    return sum(map(rarity, common)) >= _ALIKE * sum(map(rarity, shorter))


def newest_of_alike_first(
    results: Sequence[T], query: str, memory_of: Callable[[T], Memory]
) -> list[T]:
    """The results in their order, except that of those that say nearly the same the newer comes first.

    A newer one with few of the query's words is of another thing, such as the next one of a template.
    """
    first, rest = results[:_COMPARED], results[_COMPARED:]
    memories = [memory_of(each) for each in first]
    subjects = [Subject.of(each.content) for each in memories]
    rarity = _rarity_among(subjects)
    asked = Subject.of(query).words
    found = [sum(map(rarity, each.words & asked)) for each in subjects]
    groups: list[list[int]] = []
    for number, subject in enumerate(subjects):
        talk = is_small_talk(memories[number].content)
        own = None if talk else _group(subject, groups, subjects, rarity)
        if own is None:
            groups.append([number])
        else:
            own.append(number)
    places = sorted(place for group in groups for place in group)
    order: dict[int, int] = {}
    for group in groups:
        least = _OF_THE_QUERY * max(found[each] for each in group)
        newest = sorted(
            group, key=lambda each: (found[each] >= least, _when(memories[each])), reverse=True
        )
        order |= dict(zip(sorted(group), newest, strict=True))
    return [*(first[order[place]] for place in places), *rest]


def codes_first(results: Sequence[T], query: str, memory_of: Callable[[T], Memory]) -> list[T]:
    """The results in their order, except that those with every code of the query come first."""
    wanted = codes_of(query)
    if not wanted:
        return [*results]

    def has_all(result: T) -> bool:
        text = memory_of(result).content.lower()
        return all(re.search(rf"(?<![\w]){re.escape(each)}(?!\w)", text) for each in wanted)

    return sorted(results, key=lambda each: not has_all(each))  # stable


def conflicting(memory: Memory, others: Sequence[Memory]) -> list[Memory]:
    """The others that say nearly the same as a memory, and not just the same, newest first."""
    own = Subject.of(memory.content)
    subjects = [Subject.of(each.content) for each in others]
    rarity = _rarity_among([own, *subjects])
    found = [
        each
        for each, subject in zip(others, subjects, strict=True)
        if each.id != memory.id
        and not same_words(each.content, memory.content)
        and say_nearly_the_same(own, subject, rarity)
    ]
    return sorted(found, key=_when, reverse=True)


def same_words(one: str, other: str) -> bool:
    """Whether two texts have the same words in the same order.

    >>> same_words("We ship on Friday.", "we ship  on friday")
    True
    """
    return stems_of(one) == stems_of(other)


def _group(
    subject: Subject,
    groups: Sequence[list[int]],
    subjects: Sequence[Subject],
    rarity: Callable[[str], float],
) -> list[int] | None:
    """The group whose first, and best, result says nearly the same."""
    alike = (g for g in groups if say_nearly_the_same(subjects[g[0]], subject, rarity))
    return next(alike, None)


def _rarity_among(subjects: Sequence[Subject]) -> Callable[[str], float]:
    counts: Mapping[str, int] = Counter(word for each in subjects for word in each.words)
    number = len(subjects) + _UNSEEN
    return lambda word: log((1 + number) / (1 + counts.get(word, 0))) + _RARITY


def _when(memory: Memory) -> datetime:
    return memory.updated_at or memory.created_at or datetime.min.replace(tzinfo=UTC)
