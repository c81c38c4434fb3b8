"""Things that were learned, and a searcher that knows nothing else."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

from biblicus_context.systems.learning import (
    CodeUnit,
    Commit,
    Experience,
    Memory,
    RelevantItem,
    Value,
)

NOW = datetime(2026, 5, 1, tzinfo=UTC)
MEMORY = Memory(id="m1", content="Tests run in UTC.", category="decision", importance=0.8)
UNIT = CodeUnit(
    unit_type="function",
    qualified_name="clock.now",
    file_path="src/clock.py",
    start_line=12,
    end_line=20,
    language="python",
    signature="def now(zone: str) -> datetime:",
    docstring='"""The time in a zone."""',
)
EXPERIENCE = Experience(
    id="ghap_1",
    domain="debugging",
    strategy="systematic-elimination",
    goal="Find the flaky test",
    hypothesis="A race",
    action="Added a lock",
    prediction="Green",
    outcome_status="falsified",
    outcome_result="Still red",
    surprise="It was the clock",
    root_cause="Time zone",
    lesson="Freeze the time",
    confidence_tier="gold",
    created_at=NOW,
)
VALUE = Value(id="v1", text="Suspect the clock first.", axis="root_cause", cluster_size=4)
COMMIT = Commit(
    sha="0123456789abcdef",
    author="Ann",
    message="Freeze the time in tests",
    files_changed=("tests/conftest.py", "src/time.py"),
    timestamp=NOW,
)
EVERYTHING = {
    "memories": MEMORY,
    "code": UNIT,
    "experiences": EXPERIENCE,
    "values": VALUE,
    "commits": COMMIT,
}
TYPES = [*EVERYTHING]


class FakeSearcher:
    """Returns what it was given, whatever the query; notes what it was asked."""

    def __init__(self, **hits: Sequence[RelevantItem] | Exception | float) -> None:
        self.hits = hits
        self.asked: list[tuple[str, dict[str, Any]]] = []

    async def _found(self, name: str, **asked: Any) -> Sequence[RelevantItem]:
        self.asked.append((name, asked))
        match self.hits.get(name, ()):
            case Exception() as error:
                raise error
            case float() | int() as seconds:
                await asyncio.sleep(seconds)
                return []
            case hits:
                return hits

    async def search_memories(self, query: str, limit: int) -> Sequence[RelevantItem]:
        return await self._found("memories", query=query, limit=limit)

    async def search_code(self, query: str, limit: int) -> Sequence[RelevantItem]:
        return await self._found("code", query=query, limit=limit)

    async def search_experiences(
        self,
        query: str,
        limit: int,
        *,
        axis: str = "full",
        domain: str | None = None,
        strategy: str | None = None,
        outcome: str | None = None,
    ) -> Sequence[RelevantItem]:
        where = {"axis": axis, "domain": domain, "strategy": strategy, "outcome": outcome}
        return await self._found("experiences", query=query, limit=limit, **where)

    async def search_values(self, query: str, limit: int) -> Sequence[RelevantItem]:
        return await self._found("values", query=query, limit=limit)

    async def search_commits(self, query: str, limit: int) -> Sequence[RelevantItem]:
        return await self._found("commits", query=query, limit=limit)


def searcher_of(relevance: float = 0.8, **items: Any) -> FakeSearcher:
    """One hit for each source."""
    return FakeSearcher(**{name: [RelevantItem(item, relevance)] for name, item in items.items()})
