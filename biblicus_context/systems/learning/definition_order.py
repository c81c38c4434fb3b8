"""The order of definitions that a search found: by what they are called and what their docstrings say first."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence
from itertools import pairwise
from math import log
from typing import Final, NamedTuple, TypeAlias

from biblicus_context.corpora import Evidence
from biblicus_context.retrieval import query_terms, split_identifiers
from biblicus_context.stores import stems_of
from biblicus_context.systems.learning.code_unit import CodeUnit

FoundUnit: TypeAlias = tuple[Evidence, CodeUnit]

# What each of these is worth, in the units of the search. They were chosen on questions about four
# packages and hold on others; see benchmarks/notes/code-search.md.
_NAMED: Final = 2.0
"""That the query says the whole name of a definition."""
_SAID: Final = 2.0
"""That the first paragraph of its docstring has all words of the query; rare words count more."""
_EXPLAINED: Final = 0.5
"""That it has a docstring: it is meant to be used."""
_AROUND: Final = 0.3
"""The part of the support of neighbours that counts: what is next to a definition is another one."""
_SPECIAL: Final = 1.0
"""What methods such as `__len__` give way: queries mean what calls them."""
_EXACT: Final = 100.0
_DUNDER: Final = re.compile(r"__\w+__")
_IDENTIFIER: Final = re.compile(r"[A-Za-z_$][\w$]*(?:(?:\.|::)[A-Za-z_$][\w$]*)*")
_HUMP: Final = re.compile(r"[a-z][A-Z]")
_MEMBERS: Final = 2
_FEW_WORDS: Final = 20
"""Characters of a docstring that explains something."""


class _Asked(NamedTuple):
    """What a query says."""

    weights: dict[str, float]
    """Its stems, each with how rare it is among what was found."""
    stems: frozenset[str]
    """The same, and two that follow one another as one: "progress bar"."""
    names: frozenset[str]
    """What can only be the name of something."""


class _Unit(NamedTuple):
    """What the order looks at."""

    hit: Evidence
    unit: CodeUnit
    name: frozenset[str]
    """The stems of its own name."""
    said: frozenset[str]
    """Those of the first paragraph of its docstring."""


def in_order(found: Sequence[FoundUnit], query: str) -> list[FoundUnit]:
    """The definitions, most relevant first."""
    units = [_unit(*each) for each in found]
    asked = _asked(query, units)
    scores = [_score(each, asked) for each in units]
    for at, score in _of_classes(units, scores).items():
        scores[at] = max(scores[at], score)
    order = sorted(range(len(units)), key=lambda at: -scores[at])
    return [found[at] for at in order]


def _unit(hit: Evidence, unit: CodeUnit) -> _Unit:
    own = re.split(r"\.|::", unit.qualified_name)[-1]
    said = unit.docstring.partition("\n\n")[0]
    return _Unit(hit, unit, _stems(own), frozenset(stems_of(said)))


def _stems(text: str) -> frozenset[str]:
    return frozenset(stems_of(split_identifiers(text)))


def _asked(query: str, units: Sequence[_Unit]) -> _Asked:
    words = [each for term in query_terms(query) for each in stems_of(term)]
    wanted = {*words}
    # A stem is nearly always the beginning of its words, and to stem a hundred bodies takes 10 ms.
    bodies = [f"{each.unit.qualified_name}\n{each.unit.text}".lower() for each in units]
    times = {word: sum(word in body for body in bodies) for word in wanted}
    weights = {word: log((len(units) + 1) / (times[word] + 0.5)) for word in wanted}
    said = _IDENTIFIER.findall(query)
    names = {each for each in said if re.search(r"[_.]|::", each) or _HUMP.search(each)}
    if len(said) == 1:
        names.add(said[0])
    joined = {one + other for one, other in pairwise(words)}
    return _Asked(weights, frozenset(wanted | joined), frozenset(names))


def _score(each: _Unit, asked: _Asked) -> float:
    unit, every = each.unit, sum(asked.weights.values())
    score = each.hit.score - (1 - _AROUND) * each.hit.parts.get("neighbours", 0.0)
    score += _NAMED * len(each.name & asked.stems) / max(1, len(each.name))
    score += _SAID * sum(asked.weights.get(word, 0.0) for word in each.said) / (every or 1.0)
    score += _EXPLAINED if len(unit.docstring) > _FEW_WORDS else 0.0
    score -= _SPECIAL if _DUNDER.fullmatch(unit.qualified_name.rpartition(".")[2]) else 0.0
    return score + (
        _EXACT if any(_is_name(unit.qualified_name, name) for name in asked.names) else 0.0
    )


def _is_name(qualified: str, said: str) -> bool:
    """Whether it is said, whole or its end."""
    name, wanted = qualified.replace("::", "."), said.replace("::", ".")
    return name == wanted or name.endswith(f".{wanted}")


def _of_classes(units: Sequence[_Unit], scores: Sequence[float]) -> dict[int, float]:
    """A class of which two members were found is as relevant as the second of them."""
    places = {_place(each, each.unit.qualified_name): at for at, each in enumerate(units)}
    members = defaultdict[int, list[float]](list)
    for each, score in zip(units, scores, strict=True):
        outer = each.unit.qualified_name.replace("::", ".").rpartition(".")[0]
        if outer and (at := places.get(_place(each, outer))) is not None:
            members[at].append(score)
    return {
        at: sorted(own, reverse=True)[_MEMBERS - 1]
        for at, own in members.items()
        if len(own) >= _MEMBERS
    }


def _place(each: _Unit, name: str) -> tuple[str, str]:
    return each.hit.document.id, name
