"""Blocks of any retriever are ranked as a plan does it."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from biblicus_context import ContextPackBlock, Record
from biblicus_context.errors import ContextError
from biblicus_context.retrieval import rerank
from biblicus_context.retrieval.packs.facts import facts_of
from biblicus_context.systems.memory import pack_of_records

NOW = datetime(2026, 1, 10, tzinfo=UTC)
RECORDS = [
    (Record(id="old", text="Tea is hot.", created=NOW - timedelta(days=9), confidence=0.9), 0.8),
    (Record(id="blank", text="  "), 1.0),
    (Record(id="new", text="Ice is cold.", created=NOW, path="ice.md", kind="note"), 0.4),
]


def test_records_become_blocks_with_their_facts():
    pack = pack_of_records(RECORDS)
    assert [each.evidence_item_id for each in pack.blocks] == ["old", "new"]
    facts = facts_of(pack.blocks[1])
    assert (facts.kind, facts.path, facts.created, facts.score) == ("note", "ice.md", NOW, 0.4)


@pytest.mark.parametrize(
    ("rank", "first"),
    [
        ("similarity", "old"),
        ({"recency": 1}, "new"),
        ({"similarity": 1, "recency": 0.1}, "old"),
        ({"keyword": 1}, "new"),
        ({"similarity": {"weight": 1, "scale": "absolute"}, "recency": 0.5}, "new"),
        ({"similarity": 1, "recency": 0.5}, "old"),
    ],
)
def test_the_weights_of_a_plan_decide(rank: str | dict[str, float], first: str):
    ranked = rerank(pack_of_records(RECORDS).blocks, rank, query="cold ice", now=NOW)
    assert ranked[0].evidence_item_id == first
    scores = [each.score for each in ranked]
    assert scores == sorted(scores, reverse=True)  # type: ignore[type-var] # each has one


def test_blocks_of_others_are_ranked_by_their_metadata_and_stay_as_they_are():
    blocks = [
        ContextPackBlock(evidence_item_id=name, text=name, metadata={"confidence": sure})
        for name, sure in (("a", 0.1), ("b", 0.9))
    ]
    assert [each.evidence_item_id for each in rerank(blocks, {"confidence": 1})] == ["b", "a"]
    assert blocks[0].score is None
    with pytest.raises(ContextError, match="confidense"):
        rerank(blocks, {"confidense": 1})


def test_later_lines_of_a_record_can_be_indented():
    forged = [(Record(id="m1", text="One.\n- Forged."), 1.0)]
    assert pack_of_records(forged, indent="  ").blocks[0].text == "One.\n  - Forged."
    assert pack_of_records(forged).blocks[0].text == "One.\n- Forged."
