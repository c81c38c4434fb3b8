"""Whether anything that was found is relevant to a query: decided by words and meaning together.

The most similar block of any query is similar to some degree. How similar the best one is to queries that
have nothing to do with these blocks is the noise; a relevant block is above it. Rare words of the query
that a block has lower what is demanded of its meaning.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Literal, NamedTuple, TypeAlias

from biblicus_context.base.doors import door

Verdict: TypeAlias = Literal["found", "weak", "nothing"]

VERDICTS: Final[tuple[Verdict, ...]] = ("found", "weak", "nothing")
"""The best first."""

FLOOR: Final = 1.2
"""Spreads above the noise that a block has to be where it has none of the words.

With it 90 of 100 questions of others find nothing, and 2 of 100 that have an answer: `python -m benchmarks.silence`.
"""
_SURE: Final = 1.0
"""Spreads above the floor from which on a block is not only weakly relevant."""
_OF_WORDS: Final = 2.0
"""Spreads that words count which leave no doubt."""
_ENOUGH: Final = 10.0
"""The rarity of words that leave no doubt: two or three rare ones."""
_BELOW: Final = 1.1
"""Spreads below the floor from which on a block is left out although others are relevant."""
_VAGUE: Final = 0.6
"""Spreads that are demanded in addition of a block that says little, such as "Back in five minutes."."""
_BELOW_IF_VAGUE: Final = 0.55
"""Spreads below the floor from which on such a block is left out."""
_ALL: Final = 0.99
"""The share of the words of a block that has all of them."""
_NAMED: Final = 4.0
"""The rarity of all words of a query from which on a block that has them is about it: "back" is in too many texts."""
_WORDS_ALONE: Final = 0.14
"""The share of the words that a block has to have where nobody compares meanings."""
_WORDS_ALONE_SURE: Final = 0.4


@dataclass(frozen=True, slots=True)
class Noise:
    """How similar the best block is to queries that have nothing to do with them."""

    middle: float
    """How similar it is."""
    spread: float
    above_own: float | None = None
    """How far it is above its own mean: some blocks are similar to everything. None: as `middle`."""


class JudgedBlock(NamedTuple):
    """What is known of one of the best blocks; it has no similarity where nobody compares meanings."""

    similarity: float | None = None
    usual: float = 0.0
    """How similar it is to queries that have nothing to do with it, in the mean."""
    words: frozenset[str] = frozenset()
    """The words of the query that it has."""
    tells: bool = True
    """Whether it says anything: "Okay, thank you." is similar to any short query."""


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


FAR: Final = "far from the query, by words and meaning"
"""Why a block is left out although others are relevant."""
NOTHING_ASKED: Final = Relevance("nothing", because="the message greets, thanks or agrees")
"""The decision about small talk, which nobody needs to search for."""


@door
def judged(
    blocks: Sequence[JudgedBlock],
    weights: Mapping[str, float],
    noise: Noise | None,
    *,
    missing: Sequence[str] = (),
) -> Relevance:
    """The relevance of the best blocks; `weights` say how rare the words of the query are, 0 to about 7.

    >>> judged([JudgedBlock(0.45)], {}, Noise(middle=0.2, spread=0.1)).verdict
    'found'
    >>> judged([JudgedBlock(0.27)], {"okta": 7.0}, Noise(0.2, 0.1), missing=["okta"]).text
    "best 0.27, floor 0.32, none of 'okta' found"
    """
    share, most = max((_share(each, weights) for each in blocks), default=(0.0, 0.0))
    has = frozenset().union(*(each.words for each in blocks))
    found = tuple(each for each in weights if each in has)
    if noise is None:
        verdict = _verdict(share - _WORDS_ALONE, _WORDS_ALONE_SURE - _WORDS_ALONE)
        return Relevance(verdict, round(share, 4), _WORDS_ALONE, tuple(missing), found)
    best, middle = max(
        ((each.similarity, _middle(each, noise)) for each in blocks if each.similarity is not None),
        key=lambda each: each[0] - each[1],
        default=(0.0, noise.middle),
    )
    floor = middle + noise.spread * (FLOOR - _OF_WORDS * _certainty(share, most))
    # A block with every word of the query is about it, however short it is.
    is_named = share >= _ALL and most >= _NAMED
    above = max(best - floor, 0.0) if is_named else best - floor
    verdict = _verdict(above, _SURE * noise.spread)
    return Relevance(verdict, max(best, 0.0), max(floor, 0.0), tuple(missing), found)


def is_far(block: JudgedBlock, weights: Mapping[str, float], noise: Noise) -> bool:
    """Whether a block is so far below the floor that it has nothing to do with the query.

    >>> okta, noise = JudgedBlock(0.1, words=frozenset({"okta"})), Noise(0.2, 0.1)
    >>> is_far(okta, {"okta": 7.0}, noise), is_far(JudgedBlock(0.1), {"okta": 7.0}, noise)
    (False, True)
    """
    if block.similarity is None:
        return False
    share, most = _share(block, weights)
    if share >= _ALL:
        return False
    words = _OF_WORDS * _certainty(share, most)
    below = _BELOW if block.tells else _BELOW_IF_VAGUE
    floor = _middle(block, noise) + noise.spread * (FLOOR - below - words)
    return block.similarity < floor


def _share(block: JudgedBlock, weights: Mapping[str, float]) -> tuple[float, float]:
    """What a block has of the words of the query: its share of their rarity, and their rarity."""
    own, whole = sum(weights[each] for each in block.words), sum(weights.values())
    return own / whole if whole else 0.0, own


def _certainty(share: float, rarities: float) -> float:
    return share * min(1.0, rarities / _ENOUGH)


def _middle(block: JudgedBlock, noise: Noise) -> float:
    """The noise of one block: between that of all blocks, and its own."""
    vague = 0.0 if block.tells else _VAGUE * noise.spread
    if noise.above_own is None:
        return noise.middle + vague
    return (noise.middle + noise.above_own + block.usual) / 2 + vague


@door
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
