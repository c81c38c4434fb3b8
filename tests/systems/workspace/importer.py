"""A program that puts a page and imports pages, and says after each: python -m ... FOLDER KIND PLACE."""

from __future__ import annotations

import asyncio
import sys

from biblicus_context.systems.workspace import Block, BlockStore

KINDS = ("markdown", "notion")


async def imported(store: BlockStore, kind: str, place: str) -> int:
    """Import a folder or an export into a workspace of its own."""
    if kind == "markdown":  # pages alone: their sections would be written between two looks
        return (await store.import_markdown(place, kind, blocks=False)).written
    return (await store.import_notion(place, kind)).written


async def main(folder: str, kind: str, place: str) -> None:
    store = BlockStore.open(folder, embedder=None)  # it starts in half the time
    for number in range(3):
        first = Block(id=f"first{number}", type="page", content="Acknowledged.")
        await store.put_block(first, workspace="first")
        print("put", number, flush=True)
    print("imported", await imported(store, kind, place), flush=True)


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
