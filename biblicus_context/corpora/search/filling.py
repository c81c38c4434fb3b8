"""Which blocks of a page go into a pack, within the limits of a request."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final

from biblicus_context.base.effects import Effectful, side_by_side
from biblicus_context.base.threads import run
from biblicus_context.corpora.evidence import Evidence
from biblicus_context.corpora.search.candidates import candidates
from biblicus_context.errors import InputError
from biblicus_context.retrieval.packs.cutting import shortened_block, within_characters
from biblicus_context.retrieval.packs.pack import ContextPack, ContextPackBlock
from biblicus_context.retrieval.requests.request import ContextRetrieverRequest
from biblicus_context.retrieval.select import ItemCap, RankOrder, Select
from biblicus_context.spec.item_cap import item_cap_spec
from biblicus_context.spec.retriever_settings import SearchSpec
from biblicus_context.text.compaction import Compaction
from biblicus_context.text.counters import Counter

_ENDLESS: Final = float("inf")
_A_GUESS: Final = 4
"""Characters per token that the engine requests if the plan does not limit them."""


@dataclass(frozen=True, slots=True)
class Filling:
    """How the share of a pack is filled."""

    select: Select
    item_cap: ItemCap | None
    characters: int | None
    """The limit in the plan."""
    join_with: str

    @classmethod
    def of(cls, spec: SearchSpec, select: Select, compaction: Compaction) -> Filling:
        """The filling that the settings of a retriever declare."""
        cap = item_cap_spec(spec.item_cap)
        item_cap = None if cap is None else ItemCap.of(cap, compaction.build)
        return cls(select, item_cap, spec.maximum_total_characters, spec.join_with)

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
            page = self._cut(page, most, request.query, counter) or page
            small = [each for each in page if len(each.block.text) <= _room(characters)]
            selected = small if self.is_plain else self._selected(small, most, counter)
            tokens = self._planned(selected, most, counter)
            found = self._fitting(selected, characters, tokens, most)
        return found or [_shortened(each, characters, counter) for each in page[:1]]

    def finished(
        self, pack: ContextPack, request: ContextRetrieverRequest, counter: Counter
    ) -> Effectful[ContextPack]:
        """The pack once a compactor that makes slow calls has shortened what is over its cap."""
        cap, most = self.item_cap, request.max_tokens
        if cap is None or not cap.makes_calls or most is None:
            return pack
        answers = yield from side_by_side(
            [self._within_cap(each, cap, most, request.query, counter) for each in pack.blocks]
        )
        blocks = [block for answer in answers if answer for block in answer[:1]]
        notes = dict.fromkeys(answer[1] for answer in answers if answer and answer[1])
        return pack.model_copy(
            update={
                "blocks": blocks,
                "text": self.join_with.join(each.text for each in blocks),
                "warnings": [*pack.warnings, *notes],
            }
        )

    def _within_cap(
        self, block: ContextPackBlock, cap: ItemCap, most: int, query: str, counter: Counter
    ) -> Effectful[tuple[ContextPackBlock, str | None] | None]:
        if not cap.is_long(block.text):
            return block, None
        return (yield from shortened_block(block, cap, cap.most(most), counter, query))

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

    def _cut(
        self, page: Sequence[Evidence], most: int, query: str, counter: Counter
    ) -> Sequence[Evidence]:
        """The page, with every block within its part of the share, as far as that needs no slow calls."""
        if self.item_cap is None or self.item_cap.makes_calls:
            return page
        return [*self._capped(page, self.item_cap, most, query, counter)]

    def _capped(
        self, page: Sequence[Evidence], cap: ItemCap, most: int, query: str, counter: Counter
    ) -> Iterator[Evidence]:
        for evidence, tokens in zip(page, self._tokens(page, counter), strict=True):
            fitted = run(cap.fitted(evidence.candidate(tokens), most, counter, query))
            if fitted is not None:
                cut = fitted.candidate
                yield _with_text(evidence, cut.text, cut.tokens, cut.left_out)

    def _selected(self, page: Sequence[Evidence], most: int, counter: Counter) -> list[Evidence]:
        by_id = {each.block.id: each for each in page}
        found = candidates(page, tokens=self._planned(page, most, counter))
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

    def _planned(self, page: Sequence[Evidence], most: int, counter: Counter) -> list[int]:
        """The tokens of each block, as they will be once slow calls have shortened it."""
        tokens, cap = self._tokens(page, counter), self.item_cap
        if cap is None or not cap.makes_calls:
            return tokens
        highest = cap.most(most) + counter.count(self.join_with)
        return [
            min(count, highest) if cap.is_long(each.block.text) else count
            for each, count in zip(page, tokens, strict=True)
        ]


def _shortened(evidence: Evidence, most: int | None, counter: Counter) -> Evidence:
    if most is None:
        return evidence
    start = within_characters(evidence.block.text, most, evidence.where)
    return _with_text(evidence, start, counter.count(start), 0)


def _with_text(evidence: Evidence, text: str, tokens: int, left_out: int) -> Evidence:
    if text == evidence.block.text:
        return evidence
    block = replace(evidence.block, text=text, tokens=tokens)
    return replace(evidence, block=block, left_out=left_out)


def _room(most: int | None) -> float:
    return _ENDLESS if most is None else most
