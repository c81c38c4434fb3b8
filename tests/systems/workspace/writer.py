"""A program that writes to a workspace and says so after each call: python -m ... FOLDER FIRST EXPORT."""

from __future__ import annotations

import asyncio
import sys
from itertools import count
from pathlib import Path

from biblicus_context.systems.workspace import Block, BlockStore, User

CALLS = ("put", "move", "link", "grant", "edit", "delete", "import")
ANN = User("ann", "acme")
INSIDE = 5


def page(number: int) -> list[Block]:
    """A page with blocks in it."""
    name = f"p{number}"
    return [
        Block(id=name, type="page", title=f"Page {number}", content="A page."),
        *(
            Block(id=f"{name}b{n}", type="todo", parent_id=name, position=n, content=f"Task {n}")
            for n in range(INSIDE)
        ),
    ]


async def call(store: BlockStore, number: int, folder: Path) -> None:
    """The call of this number: each seven of them put a page, change it, and delete the one before."""
    at, kind = number // len(CALLS), CALLS[number % len(CALLS)]
    name = f"p{at}"
    match kind:
        case "put":
            await store.put_block(*page(at), workspace="acme")
        case "move":
            await store.move_block(f"{name}b1", "acme", f"{name}b0", 0)
        case "link":
            await store.link(name, f"{name}b2", "acme")
        case "grant":
            await store.grant(name, "acme", users=["ann"])
        case "edit":
            await store.record_edit(f"{name}b3", ANN)
        case "delete":
            await store.delete_block(f"p{at - 1}", "acme")
        case "import":
            await store.import_markdown(folder, f"import{at}")


async def main(place: str, first: str, folder: str) -> None:
    store = BlockStore.open(place, embedder=None)  # it starts in half the time
    for number in count(int(first)):
        await call(store, number, Path(folder))
        print(number, flush=True)


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
