"""Ranking and showing read each block once."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

import pytest

from biblicus_context import Corpus, Record
from biblicus_context.stores import Block, Principal
from biblicus_context.testing.memory_store import InMemoryStore


class CountingStore(InMemoryStore):
    """Counts how often each block is read."""

    def __init__(self) -> None:
        super().__init__()
        self.reads: Counter[str] = Counter()

    def blocks(self, principal: Principal, ids: Sequence[str], **options: Any) -> list[Block]:
        self.reads.update(ids)
        return [*super().blocks(principal, ids, **options)]


@pytest.fixture
def store() -> Iterator[CountingStore]:
    found = CountingStore()
    with Corpus.open_records(found) as notes:
        notes.put(
            Record(id=f"n{n}", text=f"Note {n} is about tea.", confidence=n / 60) for n in range(60)
        )
    found.reads.clear()
    return found


@pytest.mark.parametrize("rank", [None, {"confidence": 1}, {"similarity": 1, "confidence": 1}])
def test_each_block_of_a_search_is_read_once(store: CountingStore, rank: Any):
    settings = {"rank": rank, "rank_window": 20} if rank else {}
    with Corpus.open_records(store) as notes:
        hits = notes.search("tea", limit=30, **settings)
    assert len(hits) == 30
    assert {*store.reads.values()} == {1}
    scores = [each.score for each in hits]
    if rank is not None:
        assert scores[:20] == sorted(scores[:20], reverse=True)
        assert all(each.parts["confidence"] == each.document.confidence for each in hits)
