"""Who could read which block when is known, also of what was deleted, and also after a crash."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings, strategies as st

from biblicus_context import Corpus, InputError
from biblicus_context.stores import Batch, Principal, Store
from biblicus_context.systems.workspace import Block, BlockStore, RecordReaders, User
from biblicus_context.testing.memory_store import InMemoryStore

START = datetime(2026, 5, 4, 12, tzinfo=UTC)
NAMES = ("a", "b", "c", "d")
USERS = ("ann", "bob")


class Clock:
    """A minute passes with each look."""

    def __init__(self) -> None:
        self.now = START

    def __call__(self) -> datetime:
        self.now += timedelta(minutes=1)
        return self.now


def opened(store: Store | None = None, clock: Clock | None = None) -> BlockStore:
    corpus = Corpus.open_records(store or InMemoryStore(), embedder=None)
    return BlockStore(corpus, now=clock or Clock())


def block(name: str, parent: str | None = None) -> Block:
    return Block(id=name, type="text", content=f"Text of {name}.", parent_id=parent)


CHANGES = st.one_of(
    st.tuples(st.just("put"), st.sampled_from(NAMES), st.sampled_from([None, *NAMES])),
    st.tuples(st.just("move"), st.sampled_from(NAMES), st.sampled_from([None, *NAMES])),
    st.tuples(st.just("grant"), st.sampled_from(NAMES), st.sampled_from(USERS)),
    st.tuples(st.just("revoke"), st.sampled_from(NAMES), st.sampled_from(USERS)),
    st.tuples(st.just("make_private"), st.sampled_from(NAMES), st.sampled_from(USERS)),
    st.tuples(st.just("make_public"), st.sampled_from(NAMES), st.none()),
    st.tuples(st.just("inherit_readers"), st.sampled_from(NAMES), st.none()),
    st.tuples(st.just("keep_from_models"), st.sampled_from(NAMES), st.none()),
    st.tuples(st.just("allow_models"), st.sampled_from(NAMES), st.none()),
    st.tuples(st.just("delete"), st.sampled_from(NAMES), st.none()),
)


def make(blocks: BlockStore, change: str, name: str, other: str | None) -> None:
    sync = blocks.sync
    match change:
        case "put":
            sync.put_block(block(name, other), workspace="acme")
        case "move":
            sync.move_block(name, "acme", other)
        case "grant" | "revoke" | "make_private":
            getattr(sync, change)(name, "acme", users=[other])
        case "delete":
            sync.delete_block(name, "acme")
        case _:
            getattr(sync, change)(name, "acme")


def readers(blocks: BlockStore, name: str, **at: Any) -> RecordReaders | None:
    try:
        return blocks.sync.readers_of(name, "acme", **at)._replace(said_by=None)
    except InputError:
        return None


@settings(max_examples=25)
@given(st.lists(CHANGES, min_size=1, max_size=12))
def test_the_readers_of_each_moment_are_those_that_there_were(changes: list[Any]):
    """Whatever was granted, revoked, moved, kept from models or deleted since."""
    clock = Clock()
    blocks = opened(clock=clock)
    seen = []
    for each in changes:
        try:
            make(blocks, *each)
        except InputError:  # a cycle, an unknown block, nobody to revoke from
            continue
        seen.append((clock.now, {name: readers(blocks, name) for name in NAMES}))
    for moment, known in seen:
        assert {name: readers(blocks, name, at=moment) for name in NAMES} == known
    for name in NAMES:
        assert readers(blocks, name, at=START) is None


@pytest.fixture
def blocks() -> Iterator[BlockStore]:
    made = opened()
    made.sync.put_block(block("a"), block("b", "a"), workspace="acme")
    yield made
    made.close()


def test_an_audit_names_each_change_with_what_was_called(blocks: BlockStore):
    blocks.sync.grant("a", "acme", users=["ann"])
    blocks.sync.revoke("a", "acme", users=["ann"])
    blocks.sync.put_block(block("b", "a"), workspace="acme")  # an edit changes no reader
    said = [(each.change, each.record_id) for each in blocks.sync.audit("acme")]
    assert sorted(said) == [(e, name) for e in ("grant", "put", "revoke") for name in ("a", "b")]
    assert [each for each, _ in said[::2]] == ["put", "grant", "revoke"]
    bob = User("bob", "acme")
    assert [e.change for e in blocks.sync.audit("acme", "b", user=bob)] == ["put", "grant"]
    late = blocks.sync.audit("acme", "b")[1].at
    assert [e.change for e in blocks.sync.audit("acme", "b", since=late)] == ["grant", "revoke"]
    assert [e.change for e in blocks.sync.audit("acme", "b", until=late)] == ["put"]


def test_of_a_deleted_block_the_audit_keeps_no_word_and_not_its_id(tmp_path: Path):
    blocks = BlockStore.open(tmp_path, embedder=None)
    secret = "hall#/book-the-xylophone"
    blocks.sync.put_block(block(secret), workspace="acme")
    blocks.sync.grant(secret, "acme", users=["ann"])
    blocks.sync.delete_block(secret, "acme")
    last = blocks.sync.audit("acme", secret)[-1]
    assert (last.record_id, last.change, last.after) == (secret, "remove", None)
    assert last.before is not None
    assert last.before.users == {"ann"}
    assert {each.record_id for each in blocks.sync.audit("acme")} == {None}
    blocks.close()
    files = [each.read_bytes() for each in tmp_path.rglob("*") if each.is_file()]
    assert files
    assert not any(b"xylophone" in each for each in files)


def test_users_are_in_the_audit_until_it_is_forgotten(tmp_path: Path):
    def has(name: bytes) -> bool:
        return any(name in each.read_bytes() for each in tmp_path.rglob("*") if each.is_file())

    blocks = BlockStore.open(tmp_path, embedder=None)
    blocks.sync.put_block(block("a"), workspace="acme")
    blocks.sync.grant("a", "acme", users=["xylophonist"])
    blocks.sync.delete_block("a", "acme")
    assert has(b"xylophonist")
    assert blocks.sync.forget_audit("acme") == 3
    assert not has(b"xylophonist")
    blocks.close()


def test_an_audit_is_forgotten_before_a_moment_and_with_its_workspace(blocks: BlockStore):
    blocks.sync.grant("a", "acme", users=["ann"])
    moment = blocks.sync.audit("acme")[-1].at
    assert blocks.sync.forget_audit("acme", moment) == 1
    assert [each.change for each in blocks.sync.audit("acme", "b")] == ["grant"]
    gone = blocks.sync.delete_workspace("acme")
    assert gone.removed == {"blocks": ("a", "b")}
    assert blocks.sync.audit("acme") == []
    assert blocks.sync.list_blocks("acme").items == ()


def test_tenants_do_not_see_the_audit_of_each_other(blocks: BlockStore):
    blocks.sync.put_block(block("a"), workspace="globex")
    blocks.sync.grant("a", "acme", users=["ann"])
    assert [each.change for each in blocks.sync.audit("globex")] == ["put"]
    assert blocks.sync.readers_of("a", "globex").everybody


def test_times_without_a_zone_are_refused(blocks: BlockStore):
    with pytest.raises(InputError, match="at: a time must have a time zone"):
        blocks.sync.readers_of("a", "acme", at=datetime(2026, 5, 4))  # noqa: DTZ001
    with pytest.raises(InputError, match="since: a time must have a time zone"):
        blocks.sync.audit("acme", since=datetime(2026, 5, 4))  # noqa: DTZ001


class Crashing(InMemoryStore):
    """Nothing is written any more in the workspace of the blocks, as if the process had ended."""

    crashes = False

    def write(self, principal: Principal, batch: Batch, **options: Any) -> int:
        if self.crashes and principal.workspace == "acme":
            raise SystemExit
        return super().write(principal, batch, **options)


def test_a_change_that_was_written_down_and_not_made_did_not_happen():
    store = Crashing()
    blocks = opened(store)
    blocks.sync.put_block(block("a"), workspace="acme")
    store.crashes = True
    with pytest.raises(SystemExit):
        blocks.sync.make_private("a", "acme", users=["ann"])
    store.crashes = False
    assert [each.change for each in blocks.sync.audit("acme")] == ["put"]
    blocks.sync.make_private("a", "acme", users=["bob"])
    changes = blocks.sync.audit("acme", "a")
    assert [each.change for each in changes] == ["put", "make_private"]
    assert changes[-1].before is not None
    assert changes[-1].before.everybody


def test_it_works_while_an_event_loop_is_running(blocks: BlockStore):
    async def cell_of_a_notebook() -> bool:
        return blocks.sync.readers_of("b", "acme").everybody

    assert asyncio.run(cell_of_a_notebook())
