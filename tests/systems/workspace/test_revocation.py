"""What is hidden or deleted while a context is built is not in it."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from itertools import count
from pathlib import Path
from typing import Final

import pytest

from biblicus_context.stores import StoreError
from biblicus_context.systems.workspace import (
    Block,
    BlockStore,
    ContextBuilder,
    ContextPayload,
    ContextRequest,
    Focus,
    User,
)

ANN: Final = User("ann", "acme")
SECRET: Final = "xylophone"
MERGER: Final = "Merger"


async def blocks(folder: Path) -> BlockStore:
    """A page of which a block has the title, and another page with a block inside."""
    store = BlockStore.open(folder, embedder=None)
    await store.put_block(
        Block(id="merger", type="page", title=MERGER),
        Block(id="own", type="text", content="Plans of the hall.", parent_id="merger"),
        Block(id="page", type="page", title="Plans", content="Plans of all."),
        Block(id="b7q", type="text", content=f"Plans: a {SECRET}.", parent_id="page"),
        Block(id="closed", type="page", title="Closed"),
        workspace="acme",
    )
    await store.make_private("closed", "acme", users=["bob"])
    return store


CHANGES: Final[dict[str, Callable[[BlockStore], Awaitable[object]]]] = {
    "revoked": lambda store: store.make_private("b7q", "acme", users=["bob"]),
    "deleted": lambda store: store.delete_block("b7q", "acme"),
    "moved": lambda store: store.move_block("b7q", "acme", "closed"),
}


def built_meanwhile(
    folder: Path, change: Callable[[BlockStore], Awaitable[object]], times: int = 1
) -> ContextPayload:
    """A context of Ann; once it is assembled, another program changes what she may read."""
    other, left = BlockStore.open(folder, embedder=None), [None] * times

    def meanwhile(_: object) -> None:
        if left:
            left.pop()
            with ThreadPoolExecutor(1) as thread:
                thread.submit(lambda: asyncio.run(change(other))).result()

    async def build() -> ContextPayload:
        builder = ContextBuilder(await blocks(folder), observers=[meanwhile])
        focus = Focus(page_id="page")
        return await builder.build(ContextRequest(query="plans", user=ANN, focus=focus))

    return asyncio.run(build())


@pytest.mark.parametrize("change", CHANGES)
def test_what_is_taken_away_while_a_context_is_built_is_not_in_it(tmp_path: Path, change: str):
    payload = built_meanwhile(tmp_path, CHANGES[change])
    assert SECRET not in payload.serialized
    assert "b7q" not in payload.result.receipt.model_dump_json()
    assert "Plans of" in payload.serialized


def test_a_page_that_is_hidden_while_a_context_about_it_is_built_is_unknown(tmp_path: Path):
    payload = built_meanwhile(
        tmp_path, lambda store: store.make_private("page", "acme", users=["bob"])
    )
    assert SECRET not in payload.serialized
    assert payload.metadata.unknown == ("focus.page_id: page",)


def test_a_title_that_is_taken_away_while_a_context_is_built_is_not_in_it(tmp_path: Path):
    def close(store: BlockStore) -> Awaitable[object]:
        return store.make_private("merger", "acme", users=["bob"])

    async def keep_readable(store: BlockStore) -> None:
        await store.make_public("own", "acme")
        await close(store)

    payload = built_meanwhile(tmp_path, keep_readable)
    assert "Plans of the hall" in payload.serialized
    assert MERGER not in payload.serialized


def test_what_is_only_written_meanwhile_does_not_begin_a_context_again(tmp_path: Path):
    block, builds = Block(id="new", type="text", content="Plans of tomorrow."), []

    async def put(store: BlockStore) -> None:
        builds.append(1)
        await store.put_block(block, workspace="acme")

    payload = built_meanwhile(tmp_path, put, times=3)
    assert SECRET in payload.serialized
    assert len(builds) == 1


def test_a_context_whose_blocks_go_each_time_is_an_error(tmp_path: Path):
    numbers = count()

    async def replace_one(store: BlockStore) -> None:
        number = next(numbers)
        await store.delete_block(f"n{number}" if number else "b7q", "acme")
        block = Block(id=f"n{number + 1}", type="text", content="Plans.", parent_id="page")
        await store.put_block(block, workspace="acme")

    with pytest.raises(StoreError, match="5 times"):
        built_meanwhile(tmp_path, replace_one, times=9)


def test_a_revocation_may_reach_what_is_inside(tmp_path: Path):
    """A block that was granted to Bob in a page of Ann is read by both, until it is taken from her too."""

    async def run() -> None:
        store = await blocks(tmp_path)
        await store.grant("page", "acme", users=["ann", "cy"])
        await store.grant("b7q", "acme", users=["bob"])
        await store.revoke("page", "acme", users=["ann"])
        assert (await store.readers_of("b7q", "acme")).users == {"ann", "bob", "cy"}
        await store.grant("page", "acme", users=["ann"])
        await store.revoke("page", "acme", users=["ann"], inside=True)
        assert (await store.readers_of("page", "acme")).users == {"cy"}
        assert (await store.readers_of("b7q", "acme")).users == {"bob", "cy"}
        await store.make_public("b7q", "acme")
        await store.grant("page", "acme", users=["ann"])
        await store.revoke("page", "acme", users=["ann"], inside=True)
        assert (await store.readers_of("b7q", "acme")).everybody

    asyncio.run(run())
