"""The workspace system: users with different rights see what a store without the rest of it shows."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from random import Random
from typing import Any, Final

from benchmarks.attacks.worlds.page_tree import PageTree
from benchmarks.attacks.worlds.twins import Tally, outcome, some
from biblicus_context import Corpus, Principal
from biblicus_context.stores import EVERYBODY, Action, Relation
from biblicus_context.systems.workspace import (
    Block,
    BlockStore,
    ContextBuilder,
    ContextHints,
    ContextRequest,
    Focus,
    User,
)
from biblicus_context.testing.memory_store import InMemoryStore
from biblicus_context.testing.store_samples import day

_WORKSPACES: Final = ("acme", "bolt")
_USERS: Final = (("ann", {"hr"}), ("bob", set[str]()), ("hr", set[str]()))
"""A user has the name of a group, and is not in it."""
_IDS: Final = tuple(f"b{number}" for number in range(5))
_WORDS: Final = ("lamp", "ship", "Friday", "hall", "plan", "overdue", "the")
_TYPES: Final = ("page", "todo", "paragraph")
_WRITES: Final = (
    *("put", "put", "put", "move", "delete", *("rights",) * 7),
    *("link", "link", "use", "use", "use"),
)
_RIGHTS: Final = (
    *("grant",) * 6,
    *("revoke", "revoke", "make_private", "make_public", "inherit_readers"),
)
_NOW: Final = datetime.now(UTC)


class WorkspaceWorld:
    """Two workspaces of the same ids; who may read what is known from the simplest tree."""

    def __init__(self, folder: Path) -> None:
        self.tally = Tally()
        self._shared = BlockStore.open(folder / "shared")
        self._shared.corpus.put_many(())  # makes the store
        self._builder = ContextBuilder(self._shared)
        self._trees = {name: PageTree() for name in _WORKSPACES}
        self._links: dict[str, list[Relation]] = {name: [] for name in _WORKSPACES}
        self._done: dict[User, list[tuple[str, Action, datetime]]] = {
            User(user, workspace, frozenset(groups)): []
            for workspace in _WORKSPACES
            for user, groups in _USERS
        }

    def close(self) -> None:
        """Close the store."""
        self._shared.close()

    async def step(self, chance: Random) -> None:
        """A write in one workspace, or a question of all users."""
        if chance.random() < 0.75:
            await self._write(chance, chance.choice(_WORKSPACES))
            return
        self._compare_readers()
        request = _request(chance)
        for user in self._done:
            alone = await self._alone(user)
            own = request.model_copy(update={"user": user})
            shared = await outcome(lambda each, own=own: _answer(each, own), self._builder)
            other = await outcome(lambda each, own=own: _answer(each, own), ContextBuilder(alone))
            self.tally.compare(f"{user}: {request}", shared, other)

    async def _write(self, chance: Random, workspace: str) -> None:
        tree, store = self._trees[workspace], self._shared
        one, other = chance.sample(_IDS, 2)
        match chance.choice(_WRITES):
            case "put":
                missing = [each for each in _IDS if each not in tree.blocks and each != other]
                block = _block(
                    chance, chance.choice((one, *missing)), chance.choice((None, other, other))
                )
                if not tree.would_be_inside_itself(block.id, block.parent_id):
                    await store.put_block(block, workspace=workspace)
                    tree.put(block)
            case "move" if {one, other} <= tree.blocks.keys() and not tree.would_be_inside_itself(
                one, other
            ):
                await store.move_block(one, workspace, other, 1)
                tree.put(replace(tree.blocks[one], parent_id=other, position=1))
            case "delete":
                await store.delete_block(one, workspace)
                gone = tree.remove(one)
                self._forget(workspace, gone)
            case "rights" if one in tree.blocks:
                await self._change_rights(chance, one, workspace)
            case "link":
                await store.link(one, other, workspace)
                self._links[workspace].append(Relation(one, other, "links"))
            case "use":
                await self._use(chance, one, workspace)

    async def _change_rights(self, chance: Random, block: str, workspace: str) -> None:
        tree, store = self._trees[workspace], self._shared
        user, group = chance.choice((("ann", ""), ("bob", ""), ("", "hr")))
        named = {"users": [*filter(None, [user])], "groups": [*filter(None, [group])]}
        match chance.choice(_RIGHTS):
            case "grant":
                await store.grant(block, workspace, **named)
                tree.grant(block, user or f"group {group}")
            case "revoke":
                if tree.revoke(block, user or f"group {group}"):
                    await store.revoke(block, workspace, **named)
            case how:
                if getattr(tree, how)(block) is not False:
                    await getattr(store, how)(block, workspace)

    async def _use(self, chance: Random, block: str, workspace: str) -> None:
        """One user edits or views a block; one that the user may not read is as one that is not there."""
        user = chance.choice([each for each in self._done if each.workspace == workspace])
        when = _NOW - timedelta(minutes=chance.randint(1, 600))
        action: Action = chance.choice(("edit", "view"))
        record = self._shared.record_edit if action == "edit" else self._shared.record_view
        await record(block, user, when)
        if block in self._readable(user):
            self._done[user].append((block, action, when))

    def _forget(self, workspace: str, gone: Iterable[str]) -> None:
        """Links and uses go with their blocks."""
        lost = {*gone}
        links = self._links[workspace]
        links[:] = [each for each in links if not {each.source, each.target} & lost]
        for user, done in self._done.items():
            if user.workspace == workspace:
                done[:] = [each for each in done if each[0] not in lost]

    def _readable(self, user: User) -> list[str]:
        return self._trees[user.workspace].readable(user.id, *user.groups)

    def _compare_readers(self) -> None:
        """Whether readers and titles are those of the simplest tree."""
        for workspace, tree in self._trees.items():
            stored = {
                each.id: (
                    sorted(
                        {*each.readers.users, *(f"group {name}" for name in each.readers.groups)}
                    ),
                    each.title,
                )
                for each in self._indexer(workspace).documents()
            }
            known = {
                name: (sorted(tree.readers(name) or ()), tree.title(name)) for name in tree.blocks
            }
            self.tally.compare(f"{workspace}: readers and titles", stored, known)

    def _indexer(self, workspace: str) -> Corpus:
        return self._shared.corpus.for_principal(Principal(workspace, sees_all=True))

    async def _alone(self, user: User) -> BlockStore:
        """A store with nothing but what a user may read, and has done."""
        seen = self._readable(user)
        store = BlockStore.open(InMemoryStore())
        records = self._indexer(user.workspace).get(seen)
        own = store.corpus.for_principal(Principal(user.workspace, sees_all=True))
        own.put([replace(each, readers=EVERYBODY, relations=()) for each in records])
        links = self._links[user.workspace]
        own.relate([each for each in links if {each.source, each.target} <= {*seen}])
        for block, action, when in self._done[user]:
            if block in seen:
                store.corpus.store.record_activity(user.principal, block, action, when)
        return store


def _block(chance: Random, name: str, parent: str | None) -> Block:
    return Block(
        id=name,
        type=chance.choice(_TYPES),
        title=chance.choice(("", f"Title of {name}")),
        content=some(chance, _WORDS, 8),
        parent_id=parent,
        position=chance.randint(0, 3),
        properties=chance.choice(({}, {"status": "overdue"})),
        last_modified=day(chance.randint(1, 28)),
    )


def _request(chance: Random) -> ContextRequest:
    def block() -> str | None:
        return chance.choice((None, *_IDS))

    return ContextRequest(
        query=some(chance, _WORDS),
        user=User("nobody", "nowhere"),
        type=chance.choice(("assist", "search")),
        focus=Focus(block_id=block(), page_id=block(), database_id=block()),
        hints=ContextHints(
            prioritize_types=chance.choice(((), ("todo",))),
            include_blocks=chance.sample(_IDS, chance.choice((0, 0, 1))),
            exclude_blocks=chance.sample(_IDS, chance.choice((0, 1))),
            max_depth=chance.randint(1, 3),
        ),
    )


async def _answer(builder: ContextBuilder, request: ContextRequest) -> dict[str, Any]:
    """All that a payload tells: texts, items, figures, the receipt, and what is wrong with it."""
    payload = await builder.build(request)
    return {
        "text": payload.serialized,
        "sections": payload.sections,
        "metadata": payload.metadata._asdict(),
        "receipt": payload.result.receipt,
        "problems": builder.validate(payload),
    }
