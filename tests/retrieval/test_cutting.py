"""A piece of evidence that is cut keeps within the room and says where the rest is."""

from __future__ import annotations

import pytest
from hypothesis import given, strategies as st

from biblicus_context.retrieval.packs.cutting import start_of_best, within_characters
from biblicus_context.retrieval.packs.fitters import TokenCounter
from biblicus_context.retrieval.packs.pack import ContextPack, ContextPackBlock

COUNTER = TokenCounter().counter


def pack_of(*texts: str) -> ContextPack:
    blocks = [
        ContextPackBlock(evidence_item_id=str(place), text=text, source="tea.md", score=1.0)
        for place, text in enumerate(texts)
    ]
    return ContextPack(text="".join(texts), evidence_count=len(blocks), blocks=blocks)


@given(text=st.text(min_size=1), most=st.integers(1, 200), where=st.text(max_size=60))
def test_what_is_cut_has_no_more_characters_than_allowed(text: str, most: int, where: str):
    cut = within_characters(text, most, where)
    assert len(cut) <= most
    assert cut == text or text.startswith(cut.partition("\n[… more: ")[0])


@given(text=st.text(min_size=1), most=st.integers(1, 200))
def test_the_start_of_the_best_block_has_no_more_tokens_than_allowed(text: str, most: int):
    pack = start_of_best(pack_of(text, "second"), most, COUNTER)
    assert COUNTER.count(pack.text) <= most
    assert pack.evidence_count == len(pack.blocks) <= 1


def test_the_start_keeps_what_is_known_of_the_block_and_names_its_source():
    whole = pack_of("Green tea wants water of eighty degrees. " * 20)
    (start,) = start_of_best(whole, 20, COUNTER).blocks
    assert start.text.endswith("more tokens: tea.md]")
    assert start.model_copy(update={"text": whole.blocks[0].text}) == whole.blocks[0]


@pytest.mark.parametrize("pack", [pack_of(), ContextPack(text="no blocks", evidence_count=1)])
def test_of_a_pack_without_blocks_nothing_is_left(pack: ContextPack):
    assert start_of_best(pack, 20, COUNTER) == ContextPack(text="", evidence_count=0)
