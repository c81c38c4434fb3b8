"""Which blocks of a page go into a pack: what an author selects, within the room of a request."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from biblicus_context.corpora.candidates import candidates
from biblicus_context.corpora.evidence import Evidence
from biblicus_context.retrieval.request import ContextRetrieverRequest
from biblicus_context.retrieval.select import RankOrder, Select, capped
from biblicus_context.spec.retriever_settings import SearchSpec
from biblicus_context.text.counters import Counter

_ENDLESS: Final = float("inf")


@dataclass(frozen=True, slots=True)
class Filling:
    """How a share is filled."""

    select: Select
    item_cap: float | None
    characters: int | None
    """The author's limit; a request's is a guess at the tokens, where those are not said."""
    join_with: str

    @classmethod
    def of(cls, spec: SearchSpec, select: Select) -> Filling:
        """As the settings of a retriever say."""
        return cls(select, spec.item_cap, spec.maximum_total_characters, spec.join_with)

    def chosen(
        self, page: Sequence[Evidence], request: ContextRetrieverRequest, counter: Counter
    ) -> list[Evidence]:
        """What fits, in the order of the page; the best one is never held back."""
        if request.max_tokens is None:
            uncounted = [0] * len(page)
            found = self._fitting(page, request.maximum_total_characters, uncounted, None)
            return found or [*page[:1]]
        cut = self._cut(page, request.max_tokens, counter)
        selected = cut if self._is_plain else self._selected(cut, request.max_tokens, counter)
        tokens = self._tokens(selected, counter)
        found = self._fitting(selected, self.characters, tokens, request.max_tokens)
        return found or [*cut[:1]] or [*page[:1]]

    @property
    def _is_plain(self) -> bool:
        """Whether filling in order, which happens anyway, is all that is asked for."""
        return isinstance(self.select, RankOrder)

    def _cut(self, page: Sequence[Evidence], most: int, counter: Counter) -> Sequence[Evidence]:
        """The page with no block above its part of the share."""
        if self.item_cap is None:
            return page
        by_id = {each.block.id: each for each in page}
        found = candidates(page, tokens=self._tokens(page, counter))
        return [
            _with_text(by_id[each.id], each.text, each.tokens)
            for each in capped(found, most, self.item_cap, counter)
        ]

    def _selected(self, page: Sequence[Evidence], most: int, counter: Counter) -> list[Evidence]:
        by_id = {each.block.id: each for each in page}
        found = candidates(page, tokens=self._tokens(page, counter))
        return [by_id[each.id] for each in self.select(found, most)]

    def _fitting(
        self,
        page: Sequence[Evidence],
        characters: int | None,
        tokens: Sequence[int],
        most: int | None,
    ) -> list[Evidence]:
        """In order, passing over what does not fit."""
        characters_left, tokens_left = _room(characters), _room(most)
        found = []
        for evidence, count in zip(page, tokens, strict=True):
            length = len(evidence.block.text) + len(self.join_with)
            if length <= characters_left and count <= tokens_left:
                characters_left -= length
                tokens_left -= count
                found.append(evidence)
        return found

    def _tokens(self, page: Sequence[Evidence], counter: Counter) -> list[int]:
        return counter.count_many([each.block.text + self.join_with for each in page])


def _with_text(evidence: Evidence, text: str, tokens: int) -> Evidence:
    if text == evidence.block.text:
        return evidence
    return replace(evidence, block=replace(evidence.block, text=text, tokens=tokens))


def _room(most: int | None) -> float:
    return _ENDLESS if most is None else most
