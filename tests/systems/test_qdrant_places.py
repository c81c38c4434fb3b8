"""What was learned, on a Qdrant server: the five collections answer as those in a folder."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from biblicus_context.systems.learning import (
    CONTEXT_TYPES,
    ContextAssembler,
    Experience,
    LearningStore,
    Memory,
    Value,
)
from tests.qdrant_fixture import QdrantServer, running_qdrant

WHEN = datetime(2026, 1, 2, tzinfo=UTC)
MEMORIES = [
    Memory(id="m1", content="The parser drops the last line of a file.", created_at=WHEN),
    Memory(id="m2", content="Run the migrations before the tests.", created_at=WHEN),
]
EXPERIENCES = [
    Experience(
        id=f"e{n}",
        domain="debugging",
        strategy="systematic-elimination",
        goal="Find why the parser drops a line",
        hypothesis="The reader stops early",
        action="Logged each line",
        prediction="The last line is never read",
        outcome_status=status,
        outcome_result="It was a missing line end",
        surprise="The writer was at fault",
        root_cause="The writer leaves out the last line end",
        confidence_tier="gold",
        created_at=WHEN,
    )
    for n, status in enumerate(("confirmed", "falsified"))
]


@pytest.fixture(scope="module")
def qdrant() -> Iterator[QdrantServer]:
    with running_qdrant() as server:
        yield server


def told(place: str | Path) -> list[object]:
    """Remember, open it again, and ask."""

    async def run() -> list[object]:
        store = LearningStore.open(place)
        await store.memories.put_many(MEMORIES, "local")
        await store.experiences.put_many(EXPERIENCES, "local")
        await store.values.put_many([Value(id="v", text="Prefer small steps.")], "local")
        store.close()
        store = LearningStore.open(place)
        assembler = ContextAssembler(store.searcher())
        context = await assembler.assemble_context("why does the parser drop a line", CONTEXT_TYPES)
        premortem = await assembler.get_premortem_context("debugging", "systematic-elimination")
        await store.forget_memory("m1")
        after = await assembler.assemble_context("why does the parser drop a line", CONTEXT_TYPES)
        found = [(each.markdown, each.skipped) for each in (context, premortem, after)]
        store.close()
        return found

    return asyncio.run(run())


def test_contexts_and_premortems_are_those_of_a_folder(qdrant: QdrantServer, tmp_path: Path):
    ours, theirs = told(tmp_path / "learning"), told(f"{qdrant.url}#learning")
    assert "last line of a file" in str(theirs[0])
    assert "last line of a file" not in str(theirs[2])
    assert theirs == ours
