"""How rare words are in a corpus."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from math import log

from biblicus_context.base.lazy import lazy
from biblicus_context.retrieval.candidate import Candidate
from biblicus_context.retrieval.rank.store_facts import Counted
from biblicus_context.retrieval.rank.text_words import words_of


class Rarity:
    """ln((1 + blocks) / (1 + blocks with the word)) + 1, among the blocks that the principal may read.

    The words of all candidates are counted at once, and only if a component asks for one.
    """

    def __init__(
        self,
        given: Sequence[Candidate],
        terms: Sequence[str],
        count: Callable[[Sequence[str]], Counted],
    ) -> None:
        self._given = given
        self._terms = terms
        self._count = count

    def __call__(self, term: str) -> float:
        """The rarity of a word of the query or of a candidate."""
        known = self._known.get(term)
        return self._of(0) if known is None else known

    @lazy
    def _known(self) -> Mapping[str, float]:
        return {term: self._of(found) for term, found in self._counts.found.items()}

    def _of(self, found: int) -> float:
        return log((1 + self._counts.blocks) / (1 + found)) + 1

    @lazy
    def _counts(self) -> Counted:
        words = dict.fromkeys(self._terms)
        for each in self._given:
            words |= dict.fromkeys(words_of(each.text).counts)
        return self._count([*words])
