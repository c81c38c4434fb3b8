"""Blocks are listed and read as they were put, a page at a time, as everybody or as one user; deleted with a certificate."""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from biblicus_context import Corpus, InputError
from biblicus_context.systems.workspace import Block, BlockStore, SynchronousBlockStore, User
from biblicus_context.testing.memory_store import InMemoryStore

WHEN = datetime(2026, 5, 4, tzinfo=UTC)
MADE = (
    Block(id="page", type="page", title="Fair", content="In May.", last_modified=WHEN),
    Block(
        id="t1", type="todo", parent_id="page", position=0, content="Book the hall",
        properties={"status": "open", "due": "2026-05-06"}, last_modified=WHEN,
    ),
    Block(
        id="t2", type="todo", parent_id="page", position=1, content="Buy tea",
        properties={"status": "done"}, last_modified=WHEN, ai=False,
    ),
    Block(id="z", type="page", title="Alone", last_modified=WHEN),
)  # fmt: skip


@pytest.fixture
def blocks() -> Iterator[BlockStore]:
    made = BlockStore(Corpus.open_records(InMemoryStore(), embedder=None))
    made.sync.put_block(*MADE, workspace="acme")
    yield made
    made.close()


def test_blocks_are_read_as_they_were_put(blocks: BlockStore):
    assert blocks.sync.get_blocks("z", "t1", "page", "nowhere", workspace="acme") == [
        MADE[3],
        MADE[1],
        MADE[0],
    ]
    assert blocks.sync.get_blocks("t2", workspace="acme") == [MADE[2]]
    assert blocks.sync.get_blocks("page", workspace="globex") == []


def test_blocks_are_listed_a_page_at_a_time_and_by_filters(blocks: BlockStore):
    first = blocks.sync.list_blocks("acme", limit=3)
    assert [each.id for each in first.items] == ["page", "t1", "t2"]
    rest = blocks.sync.list_blocks("acme", after=first.next, limit=3)
    assert ([each.id for each in rest.items], rest.next) == (["z"], None)
    todos = blocks.sync.list_blocks("acme", {"kind": "todo", "metadata": {"status": "open"}})
    assert [each.id for each in todos.items] == ["t1"]
    with pytest.raises(InputError, match="limit"):
        blocks.sync.list_blocks("acme", limit=0)


def test_tags_of_imported_pages_are_a_filter(blocks: BlockStore, tmp_path: Path):
    (tmp_path / "tea.md").write_text("---\ntags: [fair]\n---\n# Tea\n\nGreen.\n", "utf-8")
    blocks.sync.import_markdown(tmp_path, "acme")
    found = blocks.sync.list_blocks("acme", {"tags": ["fair"]})
    assert [each.id for each in found.items] == ["tea.md"]


def test_a_user_lists_what_this_user_may_read(blocks: BlockStore):
    ann = User("ann", "acme")
    blocks.sync.make_private("t1", "acme", users=["bob"])
    assert [e.id for e in blocks.sync.list_blocks("acme", user=ann).items] == ["page", "z"]
    assert blocks.sync.get_blocks("t1", workspace="acme", user=ann) == []
    with pytest.raises(InputError, match="user: this user is one of another workspace"):
        blocks.sync.list_blocks("acme", user=User("ann", "globex"))


def test_what_is_deleted_is_certified_with_what_was_inside(blocks: BlockStore):
    gone = blocks.sync.forget_blocks("page", "nowhere", workspace="acme")
    assert (gone.removed, gone.unknown) == ({"blocks": ("page", "t1", "t2")}, ("nowhere",))
    assert "hall" not in repr(gone)
    assert [each.id for each in blocks.sync.list_blocks("acme").items] == ["z"]
    assert blocks.sync.forget_blocks("page", workspace="acme").removed == {}


def test_every_async_method_is_there_without_await_and_with_the_same_arguments():
    methods = {
        name: each
        for name, each in vars(BlockStore).items()
        if inspect.iscoroutinefunction(each) and not name.startswith("_")
    }
    assert len(methods) > 20
    for name, each in methods.items():
        own = inspect.signature(getattr(SynchronousBlockStore, name)).parameters
        assert own == inspect.signature(each).parameters
