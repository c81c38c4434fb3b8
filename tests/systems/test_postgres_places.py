"""Systems whose data is on a server: `open(place)` takes an address where it takes a folder."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator

import pytest

from biblicus_context.stores import Principal
from biblicus_context.systems.learning import LearningStore, Memory
from biblicus_context.systems.prime import UserLibrary
from biblicus_context.systems.prime.repositories.models import UserFile
from biblicus_context.systems.workspace import Block, BlockStore
from tests.stores.postgres import drop, new_schema, url


@pytest.fixture
def fresh() -> Iterator[str]:
    """Where no table was ever made."""
    schema = new_schema()
    with pytest.MonkeyPatch.context() as patched:
        patched.setenv("BIBLICUS_CONTEXT_CONNECTION_FRESH", url(schema))
        yield "connection:fresh"
    drop(schema)


def test_what_was_learned_is_found_and_forgotten(fresh: str):
    """In a collection for each kind; another workspace sees nothing."""

    async def run() -> None:
        for workspace in ("acme", "other"):
            store = LearningStore.open(f"{fresh}#learning", workspace)
            if workspace == "acme":
                await store.record_memory(Memory(id="m", text="The parser drops the last line."))
            found = await store.memories.ids(workspace)
            assert list(found) == (["m"] if workspace == "acme" else [])
            store.close()
        store = LearningStore.open(f"{fresh}#learning", "acme")
        await store.forget_memory("m")
        assert list(await store.memories.ids("acme")) == []
        store.close()

    asyncio.run(run())


def test_files_of_users_are_apart(fresh: str):
    """As they are in a folder."""
    library = UserLibrary.open(f"{fresh}#prime")
    tea = UserFile(id="tea", path="tea.md", content="Steep it.", owner_user_id="ann")
    asyncio.run(library.files.put(tea))
    found = [
        len(asyncio.run(library.files.search_content("steep", each))) for each in ("ann", "bob")
    ]
    assert found == [1, 0]
    for each in library.corpora.values():
        each.close()


def test_blocks_of_a_workspace_are_kept(fresh: str):
    """Opened a second time, they are there."""
    for _ in range(2):
        store = BlockStore.open(f"{fresh}#blocks")
        asyncio.run(
            store.put_block(
                Block(id="p", type="page", title="Plans", content="Ship it."), workspace="w"
            )
        )
        assert [
            each.document.id for each in store.corpus.for_principal(_all("w")).search("ship")
        ] == ["p"]
        store.close()


def _all(workspace: str) -> Principal:
    return Principal(workspace, sees_all=True)
