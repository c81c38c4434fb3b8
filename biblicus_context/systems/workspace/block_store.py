"""Blocks in a corpus: what is written is found at once, by those who may read it."""

from __future__ import annotations

from asyncio import to_thread
from collections.abc import Iterable
from datetime import datetime
from pathlib import Path
from typing import Any, Self

from biblicus_context import Corpus, RecordTree, Store, markdown_records, notion_records, require
from biblicus_context.systems.workspace.models import Block, User


class BlockStore:
    """The blocks of many workspaces; what is written is durable and found when a call returns."""

    def __init__(self, corpus: Corpus) -> None:
        self.corpus = corpus

    @classmethod
    def open(cls, place: str | Path | Store, **options: Any) -> Self:
        """The blocks in a folder or in an open store; `options` are those of `Corpus.open_records`."""
        return cls(Corpus.open_records(place, name="blocks", **options))

    async def put_block(self, *blocks: Block, workspace: str) -> None:
        """Write blocks, in any order; their readers, and what is inside them, stay."""
        require(Block, "Pass a Block.", **{f"blocks[{n}]": each for n, each in enumerate(blocks)})
        await to_thread(RecordTree(self.corpus, workspace).put, [each.record for each in blocks])

    async def move_block(
        self, block_id: str, workspace: str, parent_id: str | None, position: int | None = None
    ) -> None:
        """Move a block with all that is inside it; it takes the readers of its new page."""
        await to_thread(RecordTree(self.corpus, workspace).move, block_id, parent_id, position)

    async def delete_block(self, block_id: str, workspace: str) -> int:
        """Delete a block with all that is inside it; returns how many blocks these were."""
        return await to_thread(RecordTree(self.corpus, workspace).remove, block_id)

    async def grant(
        self, block_id: str, workspace: str, users: Iterable[str] = (), groups: Iterable[str] = ()
    ) -> None:
        """Show a block and all inside it to these too; before the first grant, everybody sees it."""
        tree = RecordTree(self.corpus, workspace)
        await to_thread(tree.grant, block_id, users=users, groups=groups)

    async def link(self, source: str, target: str, workspace: str, kind: str = "links") -> None:
        """Link two blocks by id; the kind `rows` relates rows of databases."""
        await to_thread(RecordTree(self.corpus, workspace).relate, source, target, kind)

    async def record_edit(self, block_id: str, user: User, when: datetime | None = None) -> None:
        """Record that a user edited a block."""
        corpus = self.corpus.for_principal(user.principal)
        await to_thread(corpus.record_activity, block_id, "edit", when)

    async def record_view(self, block_id: str, user: User, when: datetime | None = None) -> None:
        """Record that a user viewed a block."""
        corpus = self.corpus.for_principal(user.principal)
        await to_thread(corpus.record_activity, block_id, "view", when)

    async def import_markdown(self, folder: str | Path, workspace: str, **how: Any) -> int:
        """Write the pages of a folder, as `markdown_records` reads them; returns how many."""
        tree = RecordTree(self.corpus, workspace)
        return await to_thread(tree.put, markdown_records(folder, **how))

    async def import_notion(self, place: str | Path, workspace: str, **how: Any) -> int:
        """Write pages, databases and rows, as `notion_records` reads them; returns how many."""
        return await to_thread(RecordTree(self.corpus, workspace).put, notion_records(place, **how))

    def close(self) -> None:
        """Close the store."""
        self.corpus.close()
