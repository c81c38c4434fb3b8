"""An import makes blocks of what is on pages, and is followed by the next one."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from biblicus_context import Record
from biblicus_context.systems.workspace import BlockStore, Focus, ImportedPages, TokenBudget, User
from biblicus_context.systems.workspace.page_blocks import page_blocks
from tests.systems.workspace.asking import ANN, ask, ids

FAIR = """---
title: Spring fair
owner: Ann
tags: [events, spring]
---
# Spring fair

The fair is in May.

## Tasks

- [ ] Book the hall (due: 2026-05-01)
  - [x] Ask for offers
- [x] Order the banner

Call the printer first.

## Rooms

- The hall holds 200 people.
- The lobby holds 40.

### Keys

```
- [ ] not a task
# no heading
```
"""


@pytest.fixture
def store(place: str | Path) -> Iterator[BlockStore]:
    opened = BlockStore.open(place, embedder=None)
    yield opened
    opened.close()


@pytest.fixture
def notes(tmp_path: Path) -> Path:
    folder = tmp_path / "notes"
    (folder / "events").mkdir(parents=True)
    (folder / "events" / "fair.md").write_text(FAIR, encoding="utf-8")
    (folder / "tea.md").write_text("# Tea\n\nTea is hot.\n", encoding="utf-8")
    return folder


def run(store: BlockStore, folder: Path, **how: Any) -> ImportedPages:
    return asyncio.run(store.import_markdown(folder, "acme", **how))


def blocks(store: BlockStore, user: User = ANN) -> dict[str, str]:
    corpus = store.corpus.for_principal(user.principal)
    return {each.id: each.kind for each in corpus.documents()}


def test_sections_todos_and_lists_are_blocks_with_properties(store: BlockStore, notes: Path):
    run(store, notes)
    page = "events/fair.md"
    assert blocks(store) == {
        "events": "page",
        page: "page",
        f"{page}#tasks": "section",
        f"{page}#tasks/book-the-hall": "todo",
        f"{page}#tasks/ask-for-offers": "todo",
        f"{page}#tasks/order-the-banner": "todo",
        f"{page}#rooms": "section",
        f"{page}#rooms/list": "list",
        f"{page}#keys": "section",
        "tea.md": "page",
    }
    corpus = store.corpus.for_principal(ANN.principal)
    hall, step, top = corpus.get(
        [f"{page}#tasks/book-the-hall", f"{page}#tasks/ask-for-offers", page]
    )
    assert (hall.metadata["status"], hall.metadata["due"]) == ("open", "2026-05-01")
    assert (step.parent, step.metadata["status"]) == (hall.id, "done")
    assert top.text == "The fair is in May.\nowner: Ann\ntags: events, spring"
    assert "not a task" in corpus.get([f"{page}#keys"])[0].text
    found = ask(store, "Which tasks are open?", token_budget=TokenBudget(focus=0))
    assert ids(found, "semantic")[0] == hall.id
    assert "[Spring fair] [todo]\nBook the hall" in found.serialized


def test_every_word_of_a_page_is_in_a_block():
    page = Record(id="fair.md", kind="page", title="Spring fair", text=FAIR.split("---\n")[2])
    words = " ".join(each.text for each in page_blocks(page)).split()
    lost = {*page.text.replace("- [ ] Book", "Book").split()} - {*words}
    assert lost <= {"#", "Spring", "[x]", "[", "]", "-", "(due:", "2026-05-01)", "[]"}


def test_a_second_import_changes_nothing_where_nothing_changed(store: BlockStore, notes: Path):
    first = run(store, notes)
    before = blocks(store)
    again = run(store, notes)
    assert (again.removed, again.moved, again.written) == ((), {}, first.written)
    assert blocks(store) == before


def test_a_second_import_follows_edits_and_deletions(store: BlockStore, notes: Path):
    """Pages whose file was deleted stayed for ever."""
    run(store, notes)
    asyncio.run(store.make_private("events/fair.md", "acme", users=["ann"]))
    text = FAIR.replace("- [x] Order the banner\n", "").replace("[ ] Book", "[x] Book")
    (notes / "events" / "fair.md").write_text(text, encoding="utf-8")
    (notes / "tea.md").unlink()
    done = run(store, notes)
    assert done.removed == ("events/fair.md#tasks/order-the-banner", "tea.md")
    assert "tea.md" not in blocks(store)
    corpus = store.corpus.for_principal(ANN.principal)
    assert corpus.get(["events/fair.md#tasks/book-the-hall"])[0].metadata["status"] == "done"
    assert "events/fair.md#tasks" not in blocks(store, User("bob", "acme"))


def test_a_page_that_is_moved_keeps_its_readers(store: BlockStore, notes: Path):
    run(store, notes)
    asyncio.run(store.make_private("tea.md", "acme", users=["ann"]))
    asyncio.run(store.keep_from_models("events/fair.md", "acme"))
    (notes / "drinks").mkdir()
    (notes / "tea.md").rename(notes / "drinks" / "hot.md")
    (notes / "events" / "fair.md").rename(notes / "fair.md")
    done = run(store, notes)
    assert done.moved["tea.md"] == "drinks/hot.md"
    assert asyncio.run(store.readers_of("drinks/hot.md", "acme")).users == {"ann"}
    assert "drinks/hot.md" not in blocks(store, User("bob", "acme"))
    assert not asyncio.run(store.readers_of("fair.md#tasks", "acme")).ai
    assert "tea.md" not in blocks(store)


def test_what_is_imported_has_the_readers_that_are_named(store: BlockStore, notes: Path):
    run(store, notes, users=["ann"], groups=["team"])
    assert blocks(store, User("bob", "acme")) == {}
    assert "tea.md" in blocks(store, User("cy", "acme", groups=frozenset({"team"})))
    asyncio.run(store.make_public("tea.md", "acme"))
    run(store, notes, users=["ann"])
    assert [*blocks(store, User("bob", "acme"))] == ["tea.md"]


def test_imports_of_two_folders_leave_each_other_alone(
    store: BlockStore, notes: Path, tmp_path: Path
):
    run(store, notes)
    other = tmp_path / "other"
    other.mkdir()
    (other / "cup.md").write_text("# Cup\n\nA cup.\n", encoding="utf-8")
    run(store, other)
    assert {"cup.md", "tea.md"} <= blocks(store).keys()
    (other / "cup.md").unlink()
    (other / "pot.md").write_text("# Pot\n\nA pot.\n", encoding="utf-8")
    run(store, other)
    assert {"pot.md", "tea.md"} <= blocks(store).keys()
    assert "cup.md" not in blocks(store)


def test_a_page_may_stay_one_block(store: BlockStore, notes: Path):
    run(store, notes, blocks=False)
    assert blocks(store) == {"events": "page", "events/fair.md": "page", "tea.md": "page"}
    payload = ask(store, "hall", focus=Focus(page_id="events/fair.md"))
    assert "- [ ] Book the hall" in payload.serialized
