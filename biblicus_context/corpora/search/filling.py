"""Which blocks of a page go into a pack: what an author selects, within the room of a request."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from biblicus_context.corpora.evidence import Evidence
from biblicus_context.corpora.search.candidates import candidates
from biblicus_context.errors import InputError
from biblicus_context.retrieval.packs.cutting import within_characters
from biblicus_context.retrieval.requests.request import ContextRetrieverRequest
from biblicus_context.retrieval.select import RankOrder, Select, capped
from biblicus_context.spec.retriever_settings import SearchSpec
from biblicus_context.text.counters import Counter

_ENDLESS: Final = float("inf")
_A_GUESS: Final = 4
"""Characters that an engine asks for with each token, where its author says nothing of them."""


@dataclass(frozen=True, slots=True)
class Filling:
    """How a share is filled."""

    select: Select
    item_cap: float | None
    characters: int | None
    """The author's limit."""
    join_with: str

    @classmethod
    def of(cls, spec: SearchSpec, select: Select) -> Filling:
        """As the settings of a retriever say."""
        return cls(select, spec.item_cap, spec.maximum_total_characters, spec.join_with)

    def chosen(
        self, page: Sequence[Evidence], request: ContextRetrieverRequest, counter: Counter
    ) -> list[Evidence]:
        """What fits, in the order of the page; the best one is never held back.

        Where it is longer than the characters that were allowed, it is cut and says so. What is
        longer than the tokens that were asked for is cut by who asked, as that is a matter of taste.
        """
        characters, most = self._characters(request), request.max_tokens
        if most is None:
            found = self._fitting(page, characters, [0] * len(page), None)
        else:
            page = self._cut(page, most, counter) or page
            small = [each for each in page if len(each.block.text) <= _room(characters)]
            selected = small if self._is_plain else self._selected(small, most, counter)
            tokens = self._tokens(selected, counter)
            found = self._fitting(selected, characters, tokens, most)
        return found or [_shortened(each, characters, counter) for each in page[:1]]

    def _characters(self, request: ContextRetrieverRequest) -> int | None:
        """The least that was said; four for each token is only a guess at the tokens."""
        asked, tokens = request.maximum_total_characters, request.max_tokens
        if asked is not None and tokens is not None and asked >= _A_GUESS * tokens:
            asked = None
        return min((each for each in (asked, self.characters) if each is not None), default=None)

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
        chosen = self.select(found, most)
        try:
            return [*{each.id: by_id[each.id] for each in chosen}.values()]
        except (AttributeError, KeyError, TypeError):  # a selection of somebody's own
            raise InputError(
                f"a selection answers with candidates that it was given: found {chosen!r:.200}",
                place="select",
            ) from None

    def _fitting(
        self,
        page: Sequence[Evidence],
        characters: int | None,
        tokens: Sequence[int],
        most: int | None,
    ) -> list[Evidence]:
        """In order, passing over what does not fit."""
        # Nothing is joined to the last one.
        characters_left = _room(characters) + len(self.join_with)
        tokens_left = _room(most)
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


def _shortened(evidence: Evidence, most: int | None, counter: Counter) -> Evidence:
    if most is None:
        return evidence
    start = within_characters(evidence.block.text, most, evidence.where)
    return _with_text(evidence, start, counter.count(start))


def _with_text(evidence: Evidence, text: str, tokens: int) -> Evidence:
    if text == evidence.block.text:
        return evidence
    return replace(evidence, block=replace(evidence.block, text=text, tokens=tokens))


def _room(most: int | None) -> float:
    return _ENDLESS if most is None else most
