"""The contract of a storage of memories, as a class of pytest tests that a test of one derives from."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from biblicus_context.systems.memory import (
    ContextEngine,
    Memory,
    MemoryQuery,
    Relationship,
    SearchResult,
    StorageClient,
)

_DAY = datetime(2026, 1, 1, tzinfo=UTC)
MEMORIES: Mapping[str, Sequence[Memory]] = {
    "acme": (
        Memory(
            id="ship",
            type="decision",
            content="We ship the lamp on Friday.",
            confidence=0.9,
            created_at=_DAY,
            conversation_id="c1",
        ),
        Memory(
            id="hall",
            type="fact",
            content="The hall for the lamp is booked.",
            confidence=0.4,
            created_at=_DAY + timedelta(days=1),
            conversation_id="c2",
        ),
    ),
    "globex": (Memory(id="ship", content="Globex ships its lamp in May.", created_at=_DAY),),
}
RELATIONSHIPS: Mapping[str, Sequence[Relationship]] = {
    "acme": (Relationship("ship", "hall", "needs", 2.0),)
}


class StorageClientContract:
    """A subclass says how a storage is made that holds these memories and relationships."""

    def storage(
        self,
        memories: Mapping[str, Sequence[Memory]],
        relationships: Mapping[str, Sequence[Relationship]],
    ) -> StorageClient:
        """A storage with memories and relationships by workspace."""
        raise NotImplementedError

    @pytest.fixture
    def filled(self) -> StorageClient:
        """The storage of one test."""
        return self.storage(MEMORIES, RELATIONSHIPS)

    @staticmethod
    def _found(filled: StorageClient, workspace: str, **options: Any) -> Sequence[SearchResult]:
        engine = ContextEngine(filled)
        results: Sequence[SearchResult] = engine.sync.search("lamp", workspace, **options).unwrap()
        return results

    def test_memories_are_found_as_they_were_remembered(self, filled: StorageClient) -> None:
        found = {each.memory.id: each.memory for each in self._found(filled, "acme")}
        assert found == {each.id: each for each in MEMORIES["acme"]}

    def test_scores_are_shares_and_fall(self, filled: StorageClient) -> None:
        query = MemoryQuery(text="When do we ship the lamp?")
        found = asyncio.run(filled.search_memories("acme", query))
        assert all(0 <= each.score <= 1 for each in found)
        orders = [each.score if each.rank is None else each.rank for each in found]
        assert orders == sorted(orders, reverse=True)

    def test_a_workspace_sees_its_own_memories_only(self, filled: StorageClient) -> None:
        assert [each.memory.content for each in self._found(filled, "globex")] == [
            "Globex ships its lamp in May."
        ]
        assert self._found(filled, "unknown") == []
        assert self._found(filled, "ACME") == []

    @pytest.mark.parametrize(
        ("options", "expected"),
        [
            ({"memory_types": ("fact",)}, {"hall"}),
            ({"memory_types": ("fact", "decision")}, {"ship", "hall"}),
            ({"date_from": _DAY + timedelta(hours=1)}, {"hall"}),
            ({"date_to": _DAY}, {"ship"}),
            ({"date_from": _DAY, "date_to": _DAY}, {"ship"}),
            ({"min_confidence": 0.9}, {"ship"}),
            ({"conversation_id": "c2"}, {"hall"}),
            ({"conversation_id": "c2", "memory_types": ("decision",)}, set()),
        ],
    )
    def test_options_limit_what_is_found(
        self, filled: StorageClient, options: dict[str, Any], expected: set[str]
    ) -> None:
        assert {each.memory.id for each in self._found(filled, "acme", **options)} == expected

    def test_no_more_is_found_than_was_asked_for(self, filled: StorageClient) -> None:
        query = MemoryQuery(text="lamp", limit=1)
        assert len(asyncio.run(filled.search_memories("acme", query))) == 1

    def test_relationships_are_followed_in_both_directions(self, filled: StorageClient) -> None:
        for start, end in (("ship", "hall"), ("hall", "ship")):
            (near,) = asyncio.run(filled.get_memory_relationships(start, "acme"))
            assert (near.memory.id, near.depth) == (end, 1)
            assert near.relationship == Relationship("ship", "hall", "needs", 2.0)

    def test_relationships_belong_to_a_workspace(self, filled: StorageClient) -> None:
        for name, workspace in (("ship", "globex"), ("ship", "unknown"), ("unknown", "acme")):
            assert [*asyncio.run(filled.get_memory_relationships(name, workspace))] == []

    def test_many_ask_at_once(self, filled: StorageClient) -> None:
        async def ask() -> list[Sequence[SearchResult]]:
            query = MemoryQuery(text="lamp")
            places = ["acme", "globex"] * 10
            return await asyncio.gather(*(filled.search_memories(each, query) for each in places))

        found = [{each.memory.content for each in results} for results in asyncio.run(ask())]
        assert found[::2] == [found[0]] * 10
        assert found[1::2] == [found[1]] * 10
        assert not found[0] & found[1]
