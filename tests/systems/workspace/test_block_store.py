"""What is written to a workspace is found at once, in its place, by those who may read it."""

from __future__ import annotations

import asyncio
import zipfile
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from biblicus_context import InputError
from biblicus_context.ingest import SkippedFile
from biblicus_context.systems.workspace import (
    Block,
    BlockStore,
    ContextBuilder,
    ContextConfig,
    ContextHints,
    Focus,
    RecordTree,
    User,
)
from tests.ingest.build import written
from tests.ingest.notion import HALL, HOME, LAUNCH, TASKS, archive_of, export
from tests.systems.workspace.asking import ANN, ask, ids, only

BOB = User(id="bob", workspace="acme", groups=frozenset({"hr"}))


FINDS = ContextConfig(collectors={"semantic": {"min_score": 0.1}})
"""What is relevant among a few blocks no corpus can tell."""


pytestmark = pytest.mark.on_postgres


@pytest.fixture
def store(place: str | Path) -> Iterator[BlockStore]:
    opened = BlockStore.open(place)
    asyncio.run(
        opened.put_block(
            Block(id="plan", type="page", title="Plan", content="What we plan."),
            Block(id="hall", type="todo", parent_id="plan", position=0, content="Book the hall"),
            Block(id="food", type="todo", parent_id="plan", position=1, content="Order the food"),
            Block(id="menu", type="paragraph", parent_id="food", content="Soup and bread"),
            Block(id="other", type="page", title="Other", content="Something else."),
            workspace="acme",
        )
    )
    yield opened
    opened.close()


@pytest.mark.parametrize("wrong", [{"id": "a"}, "a", None])
def test_what_is_not_a_block_is_refused(store: BlockStore, wrong: Any):
    with pytest.raises(InputError, match=r"blocks\[0\]: Block expected.*Pass a Block"):
        asyncio.run(store.put_block(wrong, workspace="acme"))
    with pytest.raises(InputError, match=r"records\[0\]: Record expected"):
        RecordTree(store.corpus).put([wrong])


@pytest.mark.parametrize("workspace", [None, "", " ", 5])
def test_nothing_is_written_without_a_workspace(store: BlockStore, workspace: Any):
    """None would be the usual workspace of a store, and not the one of the program."""
    for call in (
        store.put_block(Block(id="x", type="todo", content="Pay"), workspace=workspace),
        store.move_block("hall", workspace, None),
        store.delete_block("hall", workspace),
        store.grant("hall", workspace, users=["ann"]),
        store.revoke("hall", workspace, users=["ann"]),
        store.make_private("hall", workspace),
        store.make_public("hall", workspace),
        store.inherit_readers("hall", workspace),
        store.readers_of("hall", workspace),
        store.link("hall", "other", workspace),
        store.import_markdown("notes", workspace),
        store.import_notion("notes", workspace),
    ):
        with pytest.raises(InputError, match="workspace: a text that is not empty is expected"):
            asyncio.run(call)


@pytest.mark.parametrize("wrong", [None, "blocks", {"query": "x"}])
def test_what_is_not_a_store_or_a_request_is_refused(store: BlockStore, wrong: Any):
    with pytest.raises(InputError, match=r"store: BlockStore expected.*BlockStore\.open"):
        ContextBuilder(wrong)
    with pytest.raises(InputError, match="request: ContextRequest expected"):
        asyncio.run(ContextBuilder(store).build(wrong))


def test_an_edit_where_nothing_was_ever_written_is_ignored(place: str | Path):
    empty = BlockStore.open(place)
    asyncio.run(empty.record_edit("hall", ANN))
    asyncio.run(empty.record_view("hall", ANN))
    assert ids(ask(empty, config=only("activity")), "activity") == []


def test_properties_are_part_of_a_block(store: BlockStore):
    late = Block(
        id="late", type="todo", content="Pay", properties={"due": "2026-05-08", "no": None}
    )
    asyncio.run(store.put_block(late, workspace="acme"))
    payload = ask(store, "pay", config=only("semantic"))
    assert "[todo]\nPay\ndue: 2026-05-08\n" in payload.serialized


def test_a_block_is_around_its_focus_with_the_scores_of_the_design(store: BlockStore):
    config = only(
        "focus", weights=dict.fromkeys(("structure", "recency", "kinds", "affinity"), 1e-9)
    )
    payload = ask(store, focus=Focus(block_id="food"), config=config)
    scores = {item.block_id: round(item.relevance, 2) for item in payload.sections[1].items}
    assert scores == {"food": 1.0, "plan": 0.9, "menu": 0.85, "hall": 0.8}


def test_a_moved_block_takes_what_is_inside_it_along(store: BlockStore):
    asyncio.run(store.move_block("food", "acme", "other", 0))
    payload = ask(store, focus=Focus(page_id="other"), hints=ContextHints(max_depth=2))
    assert {"food", "menu"} <= {*ids(payload, "focus")}
    assert "[Other] [paragraph]\nSoup and bread" in payload.serialized
    with pytest.raises(InputError, match="cannot be inside itself"):
        asyncio.run(store.move_block("other", "acme", "menu"))


def test_a_deleted_block_is_gone_with_all_inside_it(store: BlockStore):
    assert asyncio.run(store.delete_block("food", "acme")) == 2
    assert "Soup" not in ask(store, "soup and bread").serialized
    about = ask(store, focus=Focus(block_id="food"))
    assert about.metadata.unknown == ("focus.block_id: food",)


def test_links_backlinks_and_rows_are_connected_items(store: BlockStore):
    asyncio.run(store.link("hall", "other", "acme"))
    asyncio.run(store.link("menu", "hall", "acme"))
    asyncio.run(store.link("food", "hall", "acme", kind="rows"))
    config = only(
        "relations", weights=dict.fromkeys(("structure", "recency", "kinds", "affinity"), 1e-9)
    )
    payload = ask(store, focus=Focus(block_id="hall"), config=config)
    scores = {item.block_id: round(item.relevance, 2) for item in payload.sections[3].items}
    assert scores == {"food": 0.75, "other": 0.7, "menu": 0.65}


def test_recent_activity_is_that_of_the_user_alone(store: BlockStore):
    now = datetime.now(UTC)
    asyncio.run(store.record_edit("hall", ANN))
    asyncio.run(store.record_view("other", ANN))
    asyncio.run(store.record_edit("food", ANN, now - timedelta(hours=80)))
    asyncio.run(store.record_edit("menu", BOB))
    config = only("activity")
    assert ids(ask(store, config=config), "activity") == ["hall", "other"]
    assert ids(ask(store, user=BOB, config=config), "activity") == ["menu"]


def test_a_granted_page_is_hidden_from_others_with_all_inside_it(store: BlockStore):
    asyncio.run(store.grant("plan", "acme", groups=["hr"]))
    assert {*ids(ask(store, "book the hall, order the food"))} <= {"other"}
    assert "hall" in ids(ask(store, "book the hall", user=BOB))
    asyncio.run(store.grant("food", "acme", users=["ann"]))
    shown = ask(store, focus=Focus(block_id="food"))
    assert {*ids(shown, "focus")} == {"food", "menu"}
    asyncio.run(
        store.put_block(
            Block(id="new", type="todo", parent_id="plan", content="Secret"), workspace="acme"
        )
    )
    assert "Secret" not in ask(store, "secret").serialized


def test_what_was_granted_is_taken_back_at_once(store: BlockStore):
    """In what is around a focus, what is found, links, recent activity, titles and outlines."""
    asyncio.run(store.grant("plan", "acme", users=["ann", "bob"]))
    asyncio.run(store.link("other", "food", "acme"))
    asyncio.run(store.record_edit("food", ANN))
    asyncio.run(store.revoke("plan", "acme", users=["ann"]))
    readers = asyncio.run(store.readers_of("menu", "acme"))
    assert (readers.users, readers.everybody, readers.said_by) == ({"bob"}, False, "plan")
    for focus in (None, Focus(page_id="other"), Focus(block_id="other")):
        shown = ask(store, "order the food, soup and bread", focus=focus)
        assert {*ids(shown)} <= {"other"}
        assert not any(word in shown.serialized.split("User Query")[0] for word in ("Plan", "Soup"))
    assert ids(ask(store, "tea", focus=Focus(block_id="food")), "focus") == []
    asyncio.run(store.make_public("food", "acme"))
    found = ask(store, "order the food, soup and bread", config=FINDS)
    assert {"food", "menu"} == {*ids(found)} - {"other"}
    assert "[Plan]" not in ask(store, "order the food").serialized
    asyncio.run(store.make_private("food", "acme", users=["eve"], groups=["board"]))
    assert "food" not in ids(ask(store, "order the food"))
    asyncio.run(store.inherit_readers("food", "acme"))
    assert "food" in ids(ask(store, "order the food", user=BOB))


def test_validation_sees_what_is_inside_an_outline_and_which_pages_are_named(store: BlockStore):
    """The outline of a page has lines of its blocks, and a block has titles of what it is inside."""
    builder = ContextBuilder(store)
    payload = ask(store, "Something", focus=Focus(page_id="plan"), hints=ContextHints(max_depth=0))
    outline = next(each for each in payload.sections[1].items if "Book the hall" in each.content)
    assert outline.block_id == "plan"
    assert {*outline.documents} == {"plan", "hall", "food"}
    assert builder.validate(payload).valid
    asyncio.run(store.grant("hall", "acme", users=["bob"]))
    assert builder.validate(payload).problems == (
        "permission: user 'ann' may not read block 'hall'",
    )
    named = ask(store, focus=Focus(block_id="menu"), config=only("focus"))
    asyncio.run(store.make_public("menu", "acme"))
    asyncio.run(store.make_private("plan", "acme"))
    assert "permission: user 'ann' may not read block 'plan'" in builder.validate(named).problems


def test_a_restricted_block_that_is_deleted_and_put_again_is_a_new_one(store: BlockStore):
    """It is read by the readers of its page, and nobody's activity is left of it."""
    asyncio.run(store.record_edit("food", ANN))
    asyncio.run(store.grant("food", "acme", users=["ann"]))
    asyncio.run(store.grant("plan", "acme", users=["bob"]))
    asyncio.run(store.delete_block("food", "acme"))
    again = Block(id="food", type="todo", parent_id="plan", content="Order the food")
    asyncio.run(store.put_block(again, workspace="acme"))
    assert asyncio.run(store.readers_of("food", "acme")).users == {"bob"}
    asyncio.run(store.make_public("plan", "acme"))
    assert ids(ask(store, config=only("activity")), "activity") == []


def test_grants_and_blocks_that_are_written_at_once_lose_nothing(store: BlockStore):
    """A block that was put while its page was granted stayed readable by everybody, and a grant was lost."""

    async def at_once(page: str) -> None:
        await store.put_block(Block(id=page, type="page", content="Salaries"), workspace="acme")
        inside = Block(id=f"in-{page}", type="todo", parent_id=page, content="Raise them")
        await asyncio.gather(
            store.grant(page, "acme", users=["eve"]),
            store.put_block(inside, workspace="acme"),
            store.grant(page, "acme", users=["ann"]),
        )

    pages = [f"pay{number}" for number in range(12)]
    for page in pages:
        asyncio.run(at_once(page))
    wanted = [name for page in pages for name in (page, f"in-{page}")]
    for user, sees in (("ann", wanted), ("eve", wanted), ("mallory", [])):
        corpus = store.corpus.for_principal(User(id=user, workspace="acme").principal)
        assert [each.id for each in corpus.get(wanted)] == sees


def test_blocks_of_hints_come_first_or_not_at_all(store: BlockStore):
    hints = ContextHints(include_blocks=["other"], exclude_blocks=["hall", "plan"])
    payload = ask(store, "book the hall", focus=Focus(block_id="food"), hints=hints)
    assert {"food", "other"} <= {*ids(payload, "focus")}
    assert not {"hall", "plan"} & {*ids(payload)}
    future = ContextHints(time_range={"start": datetime.now(UTC) + timedelta(days=1)})
    assert ids(ask(store, "book the hall", hints=future)) == []


def test_folders_of_markdown_and_exports_of_notion_become_blocks(store: BlockStore, tmp_path: Path):
    folder = written(tmp_path / "notes", {"tea.md": "# Tea\n\nGreen tea wants 80 degrees."})
    assert asyncio.run(store.import_markdown(folder, "drinks")).written == 1
    ann = User(id="ann", workspace="drinks")
    assert "[Tea] [page]" in ask(store, "green tea", user=ann).serialized
    archive = archive_of(tmp_path / "export.zip", export())
    assert asyncio.run(store.import_notion(archive, "notion")).written == 6
    ann = User(id="ann", workspace="notion")
    around = ask(store, user=ann, focus=Focus(block_id=HALL))
    assert {HALL, TASKS, HOME} <= {*ids(around, "focus")}
    assert ids(around, "relations") == [LAUNCH] or LAUNCH in ids(around)
    assert ids(ask(store, "green tea", user=ann), "semantic") != ["tea.md"]


def test_an_import_says_which_files_it_leaves_out(store: BlockStore, tmp_path: Path):
    """Of a hostile archive nothing is written outside, and what is left out has a reason."""
    with zipfile.ZipFile(tmp_path / "export.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("../../evil.md", "# Evil")
        archive.writestr("/absolute.md", "# Absolute")
        archive.writestr("bomb.md", b"a" * 50_000_000)
        archive.writestr("fine.md", "# Fine")
    skipped: list[SkippedFile] = []
    written = store.import_notion(tmp_path / "export.zip", "notion", on_skipped=skipped.append)
    assert asyncio.run(written).written == 1
    assert any("bomb.md" in str(each) for each in skipped)
    assert [each.name for each in tmp_path.iterdir() if each.suffix == ".md"] == []
