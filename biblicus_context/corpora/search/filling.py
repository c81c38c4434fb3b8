"""Which blocks of a page go into a pack, within the limits of a request."""

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
"""Characters per token that the engine requests if the plan does not limit them."""


@dataclass(frozen=True, slots=True)
class Filling:
    """How the share of a pack is filled."""

    select: Select
    item_cap: float | None
    characters: int | None
    """The limit in the plan."""
    join_with: str

    @classmethod
    def of(cls, spec: SearchSpec, select: Select) -> Filling:
        """The filling that the settings of a retriever declare."""
        return cls(select, spec.item_cap, spec.maximum_total_characters, spec.join_with)

    def chosen(
        self, page: Sequence[Evidence], request: ContextRetrieverRequest, counter: Counter
    ) -> list[Evidence]:
        """What fits, in the order of the page; the best block is always returned.

        If it is longer than the characters allowed, it is cut with a note. If it is longer than the
        tokens allowed, the caller cuts it: how is a setting of the plan (its compactor).
        """
        characters, most = self._characters(request), request.max_tokens
        if most is None:
            found = self._fitting(page, characters, [0] * len(page), None)
        else:
            page = self._cut(page, most, counter) or page
            small = [each for each in page if len(each.block.text) <= _room(characters)]
            selected = small if self.is_plain else self._selected(small, most, counter)
            tokens = self._tokens(selected, counter)
            found = self._fitting(selected, characters, tokens, most)
        return found or [_shortened(each, characters, counter) for each in page[:1]]

    def _characters(self, request: ContextRetrieverRequest) -> int | None:
        """The lower of both limits; the engine's own guess of four characters per token does not count."""
        asked, tokens = request.maximum_total_characters, request.max_tokens
        if asked is not None and tokens is not None and asked >= _A_GUESS * tokens:
            asked = None
        return min((each for each in (asked, self.characters) if each is not None), default=None)

    @property
    def is_plain(self) -> bool:
        """Whether the selection only fills in order, which happens in any case."""
        return isinstance(self.select, RankOrder)

    def _cut(self, page: Sequence[Evidence], most: int, counter: Counter) -> Sequence[Evidence]:
        """The page, with every block cut to its part of the share."""
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
        except (AttributeError, KeyError, TypeError):  # a selection that a caller added
            raise InputError(
                f"a selection returns some of the candidates it receives: found {chosen!r:.200}",
                place="select",
            ) from None

    def _fitting(
        self,
        page: Sequence[Evidence],
        characters: int | None,
        tokens: Sequence[int],
        most: int | None,
    ) -> list[Evidence]:
        """In order, without what does not fit."""
        # No separator follows the last block.
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

    def tokens(self, page: Sequence[Evidence], counter: Counter) -> int:
        """What these take of a share."""
        return sum(self._tokens(page, counter))

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
