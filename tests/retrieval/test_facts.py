"""The facts of a block: what its retriever knows, whatever the plan includes in its metadata."""

from __future__ import annotations

import copy
import pickle
from datetime import UTC, date, datetime
from typing import Any

import pytest
from hypothesis import given, strategies as st

from biblicus_context.retrieval.candidate import Candidate
from biblicus_context.retrieval.packs.facts import facts_of
from biblicus_context.retrieval.packs.pack import ContextPack, ContextPackBlock
from tests.retrieval import sparingly

MAY = datetime(2026, 5, 8, tzinfo=UTC)
KNOWN = Candidate(
    id="a", text="Ask.", tokens=2, score=0.5, kind="note", title="On asking", updated=MAY
)

plain = ContextPackBlock(evidence_item_id="a", text="Ask.", score=0.5)


def said(**metadata: Any) -> Candidate:
    return facts_of(ContextPackBlock(evidence_item_id="a", text="Ask.", metadata=metadata))


def test_a_block_carries_the_facts_of_its_retriever() -> None:
    """They are found again, and a block without them is still equal to it."""
    block = plain.carrying(KNOWN)
    assert facts_of(block) == KNOWN
    assert plain.carried is None
    assert block == plain
    assert block.model_dump() == plain.model_dump()
    assert repr(block) == repr(plain)
    assert "carried" not in str(ContextPack.model_json_schema())


def test_facts_survive_copies_and_pickling() -> None:
    """A block is copied when it is cut, and pickled when it leaves the process."""
    block = plain.carrying(KNOWN)
    for same in (
        block.model_copy(),
        block.model_copy(deep=True),
        copy.deepcopy(block),
        pickle.loads(pickle.dumps(block)),
        ContextPack(text="", evidence_count=1, blocks=[block]).blocks[0],
    ):
        assert facts_of(same) == KNOWN


def test_the_text_and_the_score_are_those_of_the_block() -> None:
    """A block that is cut, or scored again, keeps the other facts."""
    cut = plain.carrying(KNOWN).model_copy(update={"text": "As", "score": 0.75})
    assert (facts_of(cut).text, facts_of(cut).score, facts_of(cut).title) == (
        "As",
        0.75,
        "On asking",
    )


def test_the_facts_of_another_block_are_read_from_its_metadata() -> None:
    """Callables and other libraries' retrievers need no class of ours to say what they know."""
    found = said(
        kind="decision",
        title="Ship",
        path="a/b.md",
        lines=[3, 9],
        heading=["A", "B"],
        created_at="2026-05-08T00:00:00Z",
        updated=date(2026, 5, 9),
        confidence=0.9,
        importance=1,
        conversation_id="c1",
        parent="p",
        tags=["x"],
        tier="gold",
        parts={"keyword": 0.5, "broken": "x"},
    )
    assert (found.kind, found.title, found.path, found.lines) == (
        "decision",
        "Ship",
        "a/b.md",
        (3, 9),
    )
    assert (found.source, found.where, found.heading) == ("a/b.md", "a/b.md:3-9", ("A", "B"))
    assert found.created == MAY
    assert found.changed == found.updated == datetime(2026, 5, 9, tzinfo=UTC)
    assert (found.confidence, found.importance, found.conversation) == (0.9, 1.0, "c1")
    assert (found.parent, found.tags, found.metadata["tier"]) == ("p", ("x",), "gold")
    assert found.parts == {"keyword": 0.5}


@pytest.mark.parametrize("name", ["created", "created_at", "timestamp", "date"])
def test_times_may_be_texts_or_moments(name: str) -> None:
    """A time without a zone is in UTC."""
    for value in ("2026-05-08", datetime(2026, 5, 8), MAY, date(2026, 5, 8)):  # noqa: DTZ001
        assert said(**{name: value}).changed == MAY


def test_an_update_counts_before_a_timestamp() -> None:
    """`timestamp` is read only where neither time is known by name."""
    assert said(updated=MAY, timestamp="2020-01-01").created is None


anything = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text() | st.dates(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=4,
)
names = st.sampled_from(
    [
        "kind",
        "title",
        "path",
        "lines",
        "heading",
        "created",
        "updated",
        "timestamp",
        "parts",
        "confidence",
        "importance",
        "position",
        "session",
        "tags",
        "parent",
        "score",
        "source",
    ]
)


@sparingly
@given(st.dictionaries(names, anything))
def test_metadata_of_any_type_is_read_or_unknown(metadata: dict[str, Any]) -> None:
    """What another program writes into metadata is data; nothing in it can fail an assembly."""
    assert said(**metadata).metadata == metadata
