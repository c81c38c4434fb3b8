"""Which texts are the same as an earlier one, or nearly."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import chain
from typing import Final, Literal, NamedTuple

from biblicus_context.retrieval.duplicates.sketch import sketch

NEAR: Final = 0.9
"""Two texts with at least this likeness (rapidfuzz's ratio, 0..1) are near-duplicates."""

_NEGATIONS: Final = frozenset(
    [
        "no",
        "not",
        "never",
        "none",
        "nor",
        "neither",
        "without",
        "cannot",
        "nicht",
        "nie",
        "kein",
        "keine",
        "keinen",
        "ohne",
        "pas",
        "jamais",
        "nunca",
    ]
)
_DIGITS: Final = frozenset("0123456789")
_MARKS: Final = ".,;:!?()[]{}<>`*_\"'"
_LONGEST: Final = 20_000
"""Longer texts are duplicates only if they are equal: comparing them character by character is slow."""
_LONG_WORD: Final = 64
_WORDS: Final = 4_096
"""Words that are remembered, none of them longer than that."""
_SHORT: Final = 4_000
_TEXTS: Final = 1_024
"""Texts whose traits are remembered, none of them longer than that: contexts in a row have most of them in common."""
_MOST_SHARING: Final = 32
"""A word sequence that this many kept texts share is boilerplate: no further texts are listed for it."""
_MOST_COMPARED: Final = 4
"""How many kept texts a new text is compared with; this bounds the work per text."""

Reason = Literal["same id", "same text", "near-duplicate"]


class TextEntry(NamedTuple):
    """A text with its id."""

    id: str
    text: str
    is_turn: bool = False
    """A turn only duplicates itself: a second "Yes." answers another question."""


@dataclass(frozen=True, slots=True)
class Duplicate:
    """An entry that repeats an earlier one; both by their positions in the list."""

    dropped: int
    kept: int
    reason: Reason
    likeness: float

    def describe(self, kept: str) -> str:
        """Why the entry is dropped, with the name of the one that is kept."""
        match self.reason:
            case "same id":
                return f"the same evidence as '{kept}'"
            case "same text":
                return f"the same text as '{kept}'"
            case _:
                return f"a near-duplicate ({self.likeness:.0%}) of '{kept}'"


def find_duplicates(entries: Sequence[TextEntry], *, near: float | None = NEAR) -> list[Duplicate]:
    """Every entry that repeats a kept one before it, so pass the best entry first.

    `near=None` compares ids and whole texts only; white space never counts. Near-duplicates may
    differ in case, and never in a number or a negation: these are what such texts are about.

    >>> find_duplicates([TextEntry("a", "Ask twice."), TextEntry("b", "Ask  twice.")])
    [Duplicate(dropped=1, kept=0, reason='same text', likeness=1.0)]
    """
    kept = KeptTexts(near)
    return [
        duplicate
        for position, entry in enumerate(entries)
        if (duplicate := kept.add(position, entry)) is not None
    ]


class _Traits(NamedTuple):
    """What is compared of a text."""

    text: str
    """Without repeated white space."""
    folded: str
    """In lower case."""
    figures: frozenset[str]
    """The numbers, codes and negations."""
    parts: tuple[int, ...]
    """Its sketch."""


def _traits(given: str) -> _Traits:
    words = given.split()
    folded = [word.casefold() for word in words]
    return _Traits(" ".join(words), " ".join(folded), _figures(folded), tuple(sketch(folded)))


@dataclass(slots=True)
class KeptTexts:
    """The entries kept so far, by id, by text and by sketch; add them one by one."""

    near: float | None = NEAR
    ids: dict[str, int] = field(default_factory=dict)
    texts: dict[str, int] = field(default_factory=dict)
    sharing: defaultdict[int, list[int]] = field(default_factory=lambda: defaultdict(list))
    compared: dict[int, _Traits] = field(default_factory=dict)

    def add(self, position: int, entry: TextEntry, *, keep: bool = True) -> Duplicate | None:
        """Keep the entry, unless it duplicates a kept one; then return that duplicate.

        With `keep=False`, only look for one.
        """
        if entry.id in self.ids:
            return Duplicate(position, self.ids[entry.id], "same id", 1.0)
        duplicate = None if entry.is_turn else self._add_text(position, entry.text, keep=keep)
        if duplicate is None and keep:
            self.ids[entry.id] = position
        return duplicate

    def _add_text(self, position: int, given: str, *, keep: bool) -> Duplicate | None:
        traits = None
        if self.near is not None and len(given) <= _SHORT:
            traits = _known_traits(given)
        text = traits.text if traits else " ".join(given.split())
        if text in self.texts:
            return Duplicate(position, self.texts[text], "same text", 1.0)
        if self.near is not None and len(text) <= _LONGEST:
            traits = traits or _traits(text)
            duplicate = self._near_duplicate(position, traits, self.near)
            # A near-duplicate is not remembered: else a chain of small changes would drop texts
            # that resemble nothing that is kept.
            if duplicate is not None:
                return duplicate
            if keep:
                self._remember(position, traits)
        if keep:
            self.texts[text] = position
        return None

    def _near_duplicate(self, position: int, traits: _Traits, near: float) -> Duplicate | None:
        from rapidfuzz import fuzz  # loaded only when texts are compared

        for other in self._probable(traits.parts):
            known = self.compared[other]
            if traits.figures != known.figures:
                continue
            likeness = fuzz.ratio(traits.folded, known.folded, score_cutoff=100 * near) / 100
            if likeness >= near:
                return Duplicate(position, other, "near-duplicate", likeness)
        return None

    def _probable(self, parts: Sequence[int]) -> list[int]:
        """The kept texts that share most of a sketch."""
        sharing = [self.sharing[part] for part in parts if part in self.sharing]
        shared = Counter(chain.from_iterable(sharing))
        best = shared.most_common(_MOST_COMPARED)
        # The first is always compared: a short text may share a single sequence with its duplicate.
        return [other for rank, (other, parts) in enumerate(best) if rank == 0 or parts > 1]

    def _remember(self, position: int, traits: _Traits) -> None:
        self.compared[position] = traits
        for part in traits.parts:
            positions = self.sharing[part]
            if len(positions) < _MOST_SHARING:
                positions.append(position)


def _figures(words: Sequence[str]) -> frozenset[str]:
    """The numbers, codes and negations of a text: texts that differ in one say different things."""
    figure = _figure if max(map(len, words), default=0) > _LONG_WORD else _known_figure
    return frozenset(filter(None, map(figure, words)))


def _figure(word: str) -> str:
    """A number, a code or a negation without its punctuation; empty for any other word."""
    bare = word.strip(_MARKS)
    says = bare in _NEGATIONS or bare.endswith("n't") or not _DIGITS.isdisjoint(bare)
    return bare if says else ""


_known_figure: Final = lru_cache(maxsize=_WORDS)(_figure)
"""Most words of a text were in another one."""
_known_traits: Final = lru_cache(maxsize=_TEXTS)(_traits)
