"""Whether anything that was found is relevant to a query: decided by words and meaning together.

The most similar block of any query is similar to some degree. How similar the best one is to queries that
have nothing to do with these blocks is the noise; a relevant block is above it. Rare words of the query
that a block has lower what is demanded of its meaning.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

from biblicus_context.base.doors import door

Verdict: TypeAlias = Literal["found", "weak", "nothing"]

VERDICTS: Final[tuple[Verdict, ...]] = ("found", "weak", "nothing")
"""The best first."""

FLOOR: Final = 2.3
"""Spreads above the noise that a block has to be where it has none of the words.

With it 9 of 10 questions of others find nothing, and 1 of 100 that have an answer: `python -m benchmarks.silence`.
"""
_SURE: Final = 1.5
"""Spreads above the floor from which on a block is not only weakly relevant."""
_OF_WORDS: Final = 3.0
"""Spreads that all words of a query count."""
_ENOUGH: Final = 0.6
"""The share of the words that counts as much as all of them."""
_ALL: Final = 0.99
"""The share of the words of a block that has all of them."""
_WORDS_ALONE: Final = 0.15
"""The share of the words that a block has to have where nobody compares meanings."""
_WORDS_ALONE_SURE: Final = 0.4


@dataclass(frozen=True, slots=True)
class Noise:
    """How similar the best block is to queries that have nothing to do with them: middle and spread."""

    middle: float
    spread: float


@dataclass(frozen=True, slots=True)
class Relevance:
    """The decision about one query."""

    verdict: Verdict
    best: float = 0.0
    """How similar the most similar block is, from 0 to 1."""
    floor: float = 0.0
    """How similar it would have to be, with the words that were found."""
    missing: tuple[str, ...] = ()
    """Words of the query that no block has."""
    found: tuple[str, ...] = ()
    """Words of the query that the best blocks have."""
    because: str = ""
    """Why there was nothing to decide."""

    @property
    def text(self) -> str:
        """The decision in words.

        >>> Relevance("nothing", 0.27, 0.31, missing=("okta", "saml")).text
        "best 0.27, floor 0.31, none of 'okta', 'saml' found"
        """
        if self.because:
            return self.because
        figures = f"best {_below(self.best, self.floor)}, floor {self.floor:.2f}"
        return f"{figures}{self._words}"

    @property
    def _words(self) -> str:
        if self.missing and not self.found:
            return f", none of {_named(self.missing)} found"
        if self.missing:
            return f", {_named(self.missing)} not found"
        return ""


NOTHING_ASKED: Final = Relevance("nothing", because="the message greets, thanks or agrees")
"""The decision about small talk, which nobody needs to search for."""


@door
def judged(
    similarities: Sequence[float],
    shares: Sequence[float],
    noise: Noise | None,
    *,
    missing: Sequence[str] = (),
    found: Sequence[str] = (),
) -> Relevance:
    """The relevance of the best blocks: how similar each is, and its share of the words of the query.

    >>> judged([0.45], [0.0], Noise(middle=0.2, spread=0.07)).verdict
    'weak'
    >>> judged([0.27], [0.0], Noise(middle=0.2, spread=0.07), missing=["okta"]).text
    "best 0.27, floor 0.36, none of 'okta' found"
    """
    share = max(shares, default=0.0)
    words = tuple(missing), tuple(found)
    if noise is None:
        verdict = _verdict(share - _WORDS_ALONE, _WORDS_ALONE_SURE - _WORDS_ALONE)
        return Relevance(verdict, round(share, 4), _WORDS_ALONE, *words)
    best = max(similarities, default=0.0)
    floor = noise.middle + noise.spread * (FLOOR - _OF_WORDS * min(share, _ENOUGH))
    # A block with every word of the query is about it, however short it is.
    above = max(best - floor, 0.0) if share >= _ALL else best - floor
    verdict = _verdict(above, _SURE * noise.spread)
    return Relevance(verdict, max(best, 0.0), max(floor, 0.0), *words)


def weighed_shares(
    words: Sequence[frozenset[str]], weights: Mapping[str, float]
) -> tuple[list[float], frozenset[str]]:
    """Of the words of a query, by weight, the share that each text has, and those that any has.

    >>> weighed_shares([frozenset({"okta"}), frozenset()], {"okta": 3.0, "support": 1.0})
    ([0.75, 0.0], frozenset({'okta'}))
    """
    whole = sum(weights.values()) or 1.0
    shares = [sum(weights[each] for each in own & weights.keys()) / whole for own in words]
    return shares, frozenset().union(*(own & weights.keys() for own in words))


def best_of(decisions: Iterable[Relevance | None]) -> Relevance | None:
    """The best of several decisions about one query; None if there is none."""
    known = [each for each in decisions if each is not None]
    return min(known, key=lambda each: VERDICTS.index(each.verdict), default=None)


def _verdict(above: float, sure: float) -> Verdict:
    if above < 0:
        return "nothing"
    return "found" if above >= sure else "weak"


def _named(words: Sequence[str]) -> str:
    return ", ".join(f"'{each}'" for each in words[:5]) + (" ..." if len(words) > 5 else "")


def _below(best: float, floor: float) -> str:
    """With as many digits as it takes to see that it is below the floor."""
    shown = (f"{best:.{digits}f}" for digits in range(2, 7))
    return next((each for each in shown if best >= floor or float(each) < floor), f"{best:g}")
