"""Ranking and showing read each block once."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

import pytest

from biblicus_context import Corpus, Record
from biblicus_context.stores import Store, View
from biblicus_context.testing.memory_store import InMemoryStore


@pytest.fixture
def reads() -> Counter[str]:
    """How often each block was read."""
    return Counter()


@pytest.fixture
def store(reads: Counter[str], monkeypatch: pytest.MonkeyPatch) -> Store:
    evidence = View.evidence

    def counted(self: View, block_ids: Sequence[str]) -> Any:
        reads.update(block_ids)
        return evidence(self, block_ids)

    monkeypatch.setattr(View, "evidence", counted)
    found = InMemoryStore()
    with Corpus.open_records(found) as notes:
        notes.put(
            Record(id=f"n{n}", text=f"Note {n} is about tea.", confidence=n / 60) for n in range(60)
        )
    return found


@pytest.mark.parametrize("rank", [None, {"confidence": 1}, {"similarity": 1, "confidence": 1}])
def test_each_block_of_a_search_is_read_once(store: Store, reads: Counter[str], rank: Any):
    settings = {"rank": rank, "rank_window": 20} if rank else {}
    with Corpus.open_records(store) as notes:
        hits = notes.search("tea", limit=30, **settings)
    assert len(hits) == 30
    assert {*reads.values()} == {1}
    scores = [each.score for each in hits]
    if rank is not None:
        assert scores[:20] == sorted(scores[:20], reverse=True)
        assert all(each.parts["confidence"] == each.document.confidence for each in hits)
