"""Blocks in a corpus: what is written is found at once, by those who may read it."""

from __future__ import annotations

from asyncio import to_thread
from collections.abc import Callable, Iterable, Mapping
from datetime import UTC, datetime
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any, Self

import biblicus_context as engine
from biblicus_context.base import (
    SynchronousDoor,
    door,
    require,
    require_counts,
    require_text,
    resolved,
    synchronous,
)
from biblicus_context.corpora import Forgotten, read_in_thread
from biblicus_context.errors import InputError
from biblicus_context.ingest import Record, SkippedFile, markdown_records, notion_records
from biblicus_context.stores import Readers, Store
from biblicus_context.systems.workspace.importing import ImportedPages, imported
from biblicus_context.systems.workspace.models import Block, BlockPage, User
from biblicus_context.systems.workspace.page_blocks import page_blocks
from biblicus_context.systems.workspace.reader_log import ReaderChange, RecordReaders
from biblicus_context.systems.workspace.record_tree import (
    RecordTree,
    named_readers,
)


@door
class BlockStore:
    """The blocks of many workspaces; what is written is durable and found when a call returns."""

    def __init__(self, corpus: engine.Corpus, *, now: Callable[[], datetime] | None = None) -> None:
        """`now` is the clock of the audit."""
        self.corpus = corpus
        self._now = now

    @property
    def sync(self) -> SynchronousBlockStore:
        """The same methods without `await`."""
        return SynchronousBlockStore(self)

    @classmethod
    def open(cls, place: str | Path | Store, **options: Any) -> Self:
        """The blocks in a folder, at an address or in an open store; `options` are those of `Corpus.open_records`."""
        return cls(engine.Corpus.open_records(place, name="blocks", **options))

    async def put_block(self, *blocks: Block, workspace: str) -> None:
        """Write blocks, in any order; their readers, and what is inside them, stay."""
        require(Block, "Pass a Block.", **{f"blocks[{n}]": each for n, each in enumerate(blocks)})
        await to_thread(self._tree(workspace).put, [each.record for each in blocks])

    async def move_block(
        self, block_id: str, workspace: str, parent_id: str | None, position: int | None = None
    ) -> None:
        """Move a block with all that is inside it; it takes the readers of its new page."""
        await to_thread(self._tree(workspace).move, block_id, parent_id, position)

    async def delete_block(self, block_id: str, workspace: str) -> int:
        """Delete a block with all that is inside it; returns how many blocks these were."""
        return await to_thread(self._tree(workspace).remove, block_id)

    async def forget_blocks(self, *block_ids: str, workspace: str) -> Forgotten:
        """Delete blocks with all that is inside them; what is returned certifies it."""
        tree = self._tree(workspace)
        known = {*await to_thread(tree.documents, block_ids)}
        removed = await to_thread(tree.remove_named, sorted(known))
        unknown = tuple(each for each in dict.fromkeys(block_ids) if each not in known)
        until = await self.remains_until(workspace)
        found = {"blocks": removed} if removed else {}
        return Forgotten(datetime.now(UTC), found, unknown, until)

    async def delete_workspace(self, workspace: str) -> Forgotten:
        """Delete all blocks of a workspace, and what is known of their readers."""
        tree = self._tree(workspace)
        ids = await to_thread(lambda: tuple(each.id for each in tree.corpus.documents()))
        await to_thread(tree.corpus.clear)
        await to_thread(tree.log.clear)
        until = await self.remains_until(workspace)
        return Forgotten(datetime.now(UTC), {"blocks": ids} if ids else {}, (), until)

    async def get_blocks(
        self, *block_ids: str, workspace: str, user: User | None = None
    ) -> list[Block]:
        """The blocks with these ids, in the order of the ids; unknown ones are missing.

        With a `user` those that this user may read.
        """
        corpus = self._seen_by(workspace, user)
        found = await read_in_thread(corpus, partial(corpus.get, [*block_ids]))
        return [Block.of_record(each) for each in found]

    async def list_blocks(
        self,
        workspace: str,
        filters: Mapping[str, Any] | None = None,
        *,
        user: User | None = None,
        after: str | None = None,
        limit: int = 100,
    ) -> BlockPage:
        """A page of the blocks in the order of their ids, from the first one after `after`.

        `filters` are those of a retriever, such as `{"kind": "todo", "tags": ["fair"], "metadata":
        {"status": "open"}}`. With a `user` those that this user may read.
        """
        require_counts(limit=limit)
        corpus = self._seen_by(workspace, user)

        def page() -> BlockPage:
            found = [*islice(corpus.documents(filters, after=after), limit + 1)]
            ids = [each.id for each in found[:limit]]
            blocks = tuple(Block.of_record(each) for each in corpus.get(ids))
            return BlockPage(blocks, ids[-1] if len(found) > limit else None)

        return await read_in_thread(corpus, page)

    async def remains_until(self, workspace: str) -> datetime | None:
        """Until when files may hold bytes of what was deleted or replaced; None: none do."""
        corpus = self._tree(workspace).corpus
        return await to_thread(lambda: corpus.remains_until)

    async def purge(self, workspace: str, timeout: float = 60.0) -> None:
        """Wait up to so many seconds for reads that still need what was removed, and erase it."""
        await to_thread(self._tree(workspace).corpus.purge, timeout)

    async def grant(
        self, block_id: str, workspace: str, users: Iterable[str] = (), groups: Iterable[str] = ()
    ) -> None:
        """Show a block, and what has its readers from it, to these too.

        Where everybody of the workspace sees it, only these do from now on.
        """
        await to_thread(self._tree(workspace).grant, block_id, users=users, groups=groups)

    async def revoke(
        self,
        block_id: str,
        workspace: str,
        users: Iterable[str] = (),
        groups: Iterable[str] = (),
        *,
        inside: bool = False,
    ) -> None:
        """Hide a block, and what has its readers from it, from these; if nobody is left, from all.

        With `inside` also what is inside the block and was granted to them by itself.
        """
        revoke, named = self._tree(workspace).revoke, {"users": users, "groups": groups}
        await to_thread(partial(revoke, block_id, **named, inside=inside))

    async def make_private(
        self, block_id: str, workspace: str, users: Iterable[str] = (), groups: Iterable[str] = ()
    ) -> None:
        """Show a block, and what has its readers from it, to these alone; without any, to nobody."""
        await to_thread(self._tree(workspace).make_private, block_id, users=users, groups=groups)

    async def make_public(self, block_id: str, workspace: str) -> None:
        """Show a block, and what has its readers from it, to everybody, whoever may read its page."""
        await to_thread(self._tree(workspace).make_public, block_id)

    async def inherit_readers(self, block_id: str, workspace: str) -> None:
        """Let a block have the readers of its page again, instead of readers of its own."""
        await to_thread(self._tree(workspace).inherit_readers, block_id)

    async def keep_from_models(self, block_id: str, workspace: str) -> None:
        """Let no system place a block, or what is inside it, whoever asks; who may read it stays."""
        await to_thread(self._tree(workspace).keep_from_models, block_id)

    async def allow_models(self, block_id: str, workspace: str) -> None:
        """Let contexts have a block again, unless the page that it is in is kept from models."""
        await to_thread(self._tree(workspace).allow_models, block_id)

    async def readers_of(
        self, block_id: str, workspace: str, *, at: datetime | None = None
    ) -> RecordReaders:
        """Who may read a block now, and which block says so: itself, or one that it is inside.

        With `at` who could read it at that moment, also if it was deleted since.
        """
        tree = self._tree(workspace)
        if at is None:
            return await to_thread(tree.readers_of, block_id)
        return await to_thread(tree.readers_at, block_id, at)

    async def audit(
        self,
        workspace: str,
        block_id: str | None = None,
        *,
        user: User | None = None,
        since: datetime | None = None,
        until: datetime | None = None,
    ) -> list[ReaderChange]:
        """Each change of who may read a block, or any block, oldest first.

        With a `user` those that gave something to this user, as a member of the groups named, or took
        it. Of a deleted block that is not asked for, the id is not known any more.
        """
        name, groups = (user.id, user.groups) if user else (None, ())
        audit = partial(self._tree(workspace).audit, block_id, user=name, groups=groups)
        return await to_thread(audit, since=since, until=until)

    async def forget_audit(self, workspace: str, before: datetime | None = None) -> int:
        """Forget the changes of readers before a moment, or all; returns how many writes these were."""
        return await to_thread(self._tree(workspace).log.forget, before)

    async def link(self, source: str, target: str, workspace: str, kind: str = "links") -> None:
        """Link two blocks by id; the kind `rows` relates rows of databases."""
        await to_thread(self._tree(workspace).relate, source, target, kind)

    async def record_edit(self, block_id: str, user: User, when: datetime | None = None) -> None:
        """Record that a user edited a block."""
        corpus = self.corpus.for_principal(user.principal)
        await to_thread(corpus.record_activity, block_id, "edit", when)

    async def record_view(self, block_id: str, user: User, when: datetime | None = None) -> None:
        """Record that a user viewed a block."""
        corpus = self.corpus.for_principal(user.principal)
        await to_thread(corpus.record_activity, block_id, "view", when)

    async def import_markdown(
        self,
        folder: str | Path,
        workspace: str,
        *,
        users: Iterable[str] = (),
        groups: Iterable[str] = (),
        source: str | None = None,
        blocks: bool = True,
        on_skipped: Callable[[SkippedFile], None] | None = None,
    ) -> ImportedPages:
        """Write the pages of a folder, as `markdown_records` reads them, each section, to-do and list a block.

        The next import of the same folder follows edits, moves and deletions. `users` and `groups` read
        what is new; without any, everybody of the workspace does. `source` names the import, by default
        as the folder. With `blocks=False` a page is one block.
        """
        pages = markdown_records(folder, on_skipped=on_skipped)
        records = (each for page in pages for each in page_blocks(page)) if blocks else pages
        return await self._import(records, folder, workspace, source, named_readers(users, groups))

    async def import_notion(
        self,
        place: str | Path,
        workspace: str,
        *,
        users: Iterable[str] = (),
        groups: Iterable[str] = (),
        source: str | None = None,
        on_skipped: Callable[[SkippedFile], None] | None = None,
    ) -> ImportedPages:
        """Write pages, databases and rows, as `notion_records` reads them; the rest as `import_markdown`."""
        records = notion_records(place, on_skipped=on_skipped)
        return await self._import(records, place, workspace, source, named_readers(users, groups))

    async def _import(
        self,
        records: Iterable[Record],
        place: str | Path,
        workspace: str,
        source: str | None,
        readers: Readers,
    ) -> ImportedPages:
        name = source or resolved(Path(place)).name
        return await to_thread(imported, self._tree(workspace), records, name, readers)

    def _tree(self, workspace: str) -> RecordTree:
        require_text(workspace=workspace)  # None would be the usual one
        return RecordTree(self.corpus, workspace, now=self._now)

    def _seen_by(self, workspace: str, user: User | None) -> engine.Corpus:
        if user is not None and user.workspace != workspace:
            raise InputError(
                "this user is one of another workspace", place="user", found=user.workspace
            )
        return self.corpus.for_principal(user.principal) if user else self._tree(workspace).corpus

    def close(self) -> None:
        """Close the store."""
        self.corpus.close()


class SynchronousBlockStore(SynchronousDoor[BlockStore]):
    """The methods of a `BlockStore` without `await`: for scripts, notebooks, Flask and Streamlit."""

    put_block = synchronous(BlockStore.put_block)
    move_block = synchronous(BlockStore.move_block)
    delete_block = synchronous(BlockStore.delete_block)
    forget_blocks = synchronous(BlockStore.forget_blocks)
    delete_workspace = synchronous(BlockStore.delete_workspace)
    get_blocks = synchronous(BlockStore.get_blocks)
    list_blocks = synchronous(BlockStore.list_blocks)
    remains_until = synchronous(BlockStore.remains_until)
    purge = synchronous(BlockStore.purge)
    grant = synchronous(BlockStore.grant)
    revoke = synchronous(BlockStore.revoke)
    make_private = synchronous(BlockStore.make_private)
    make_public = synchronous(BlockStore.make_public)
    inherit_readers = synchronous(BlockStore.inherit_readers)
    keep_from_models = synchronous(BlockStore.keep_from_models)
    allow_models = synchronous(BlockStore.allow_models)
    readers_of = synchronous(BlockStore.readers_of)
    audit = synchronous(BlockStore.audit)
    forget_audit = synchronous(BlockStore.forget_audit)
    link = synchronous(BlockStore.link)
    record_edit = synchronous(BlockStore.record_edit)
    record_view = synchronous(BlockStore.record_view)
    import_markdown = synchronous(BlockStore.import_markdown)
    import_notion = synchronous(BlockStore.import_notion)
