"""Which texts are the same as an earlier one, or nearly."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import chain
from typing import Final, Literal, NamedTuple

from biblicus_context.retrieval.dedupe.sketch import Sketcher

NEAR: Final = 0.9
"""From this likeness on (rapidfuzz's ratio, 0..1) two texts are twins."""

_LONGEST: Final = 20_000
"""Longer texts are twins only where they are the same: comparing them takes too long."""
_MOST_SHARING: Final = 32
"""A sequence of words that so many kept texts have is boilerplate: it points to no more of them."""
_MOST_COMPARED: Final = 4

Reason = Literal["same id", "same text", "near-duplicate"]


class Entry(NamedTuple):
    """A text and what names it."""

    id: str
    text: str
    is_turn: bool = False
    """A turn is a twin of itself only: a second "Yes." answers another question."""


@dataclass(frozen=True, slots=True)
class Twin:
    """An entry that repeats an earlier one; both by their places in the list."""

    dropped: int
    kept: int
    reason: Reason
    likeness: float

    def told(self, kept: str) -> str:
        """Why the entry goes, in words that name the one that stays."""
        match self.reason:
            case "same id":
                return f"the same evidence as '{kept}'"
            case "same text":
                return f"the same text as '{kept}'"
            case _:
                return f"a near-duplicate ({self.likeness:.0%}) of '{kept}'"


def twins(entries: Sequence[Entry], *, near: float | None = NEAR) -> list[Twin]:
    """Every entry that repeats a kept one before it, so the best has to come first.

    `near=None` looks for the same id and the same text only; spaces and line breaks never count.

    >>> twins([Entry("a", "Ask twice."), Entry("b", "Ask  twice.")])
    [Twin(dropped=1, kept=0, reason='same text', likeness=1.0)]
    """
    kept = Kept(near)
    return [
        twin
        for place, entry in enumerate(entries)
        if (twin := kept.twin_or_keep(place, entry)) is not None
    ]


@dataclass(slots=True)
class Kept:
    """The entries that stay, by id, by text, and by their sketches; they may come one by one."""

    near: float | None = NEAR
    ids: dict[str, int] = field(default_factory=dict)
    texts: dict[str, int] = field(default_factory=dict)
    sharing: defaultdict[int, list[int]] = field(default_factory=lambda: defaultdict(list))
    compared: dict[int, str] = field(default_factory=dict)
    sketcher: Sketcher = field(default_factory=Sketcher)

    def twin_or_keep(self, place: int, entry: Entry) -> Twin | None:
        """The twin of an entry among those kept so far; one that has none is kept itself."""
        if entry.id in self.ids:
            return Twin(place, self.ids[entry.id], "same id", 1.0)
        twin = None if entry.is_turn else self._twin_by_text(place, entry.text)
        if twin is None:
            self.ids[entry.id] = place
        return twin

    def _twin_by_text(self, place: int, given: str) -> Twin | None:
        words = given.split()
        text = " ".join(words)
        if text in self.texts:
            return Twin(place, self.texts[text], "same text", 1.0)
        if self.near is not None and len(text) <= _LONGEST:
            sketch = self.sketcher.sketch(words)
            twin = self._near_twin(place, text, sketch, self.near)
            if twin is not None:
                return twin
            self._remember(place, text, sketch)
        self.texts[text] = place
        return None

    def _near_twin(self, place: int, text: str, sketch: list[int], near: float) -> Twin | None:
        from rapidfuzz import fuzz  # noqa: PLC0415 - loaded only when texts are compared

        for other in self._probable(sketch):
            likeness = fuzz.ratio(text, self.compared[other], score_cutoff=100 * near) / 100
            if likeness >= near:
                return Twin(place, other, "near-duplicate", likeness)
        return None

    def _probable(self, sketch: list[int]) -> list[int]:
        """The kept texts that share most of a sketch."""
        sharing = [self.sharing[part] for part in sketch if part in self.sharing]
        shared = Counter(chain.from_iterable(sharing))
        best = shared.most_common(_MOST_COMPARED)
        return [other for place, (other, parts) in enumerate(best) if place == 0 or parts > 1]

    def _remember(self, place: int, text: str, sketch: list[int]) -> None:
        self.compared[place] = text
        for part in sketch:
            places = self.sharing[part]
            if len(places) < _MOST_SHARING:
                places.append(place)
