"""What is around a focus, and what is in use: with the text, the order and the scores of the design."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from biblicus_context.systems.workspace import (
    Block,
    BlockStore,
    ContextHints,
    ContextPayload,
    Focus,
    Preferences,
    TokenBudget,
)
from tests.ingest.build import written
from tests.systems.workspace.asking import ANN, ask, ids, only

NOW = datetime.now(UTC)
COLLECTED = dict.fromkeys(("structure", "recency", "kinds", "affinity"), 1e-9)
PARTS = [
    " ".join(f"Sentence {n} of part {part} is bright." for n in range(30)) for part in range(6)
]


@pytest.fixture
def store(place: str | Path) -> Iterator[BlockStore]:
    """Five pages inside each other; in the innermost nine blocks, and eight in the fifth of them."""
    opened = BlockStore.open(place)
    pages = [
        Block(id=f"page{n}", type="page", title=f"Page {n}", content=f"Text of page {n}.",
              parent_id=f"page{n + 1}" if n < 4 else None)
        for n in range(5)
    ]  # fmt: skip
    near = [
        Block(id=f"b{n}", type="todo" if n == 4 else "paragraph", parent_id="page0", position=n,
              content=f"Block {n}.", last_modified=NOW - timedelta(days=n))
        for n in range(9)
    ]  # fmt: skip
    inside = [
        Block(id=f"c{n}", type="paragraph", parent_id="b4", position=n, content=f"Child {n}.")
        for n in range(8)
    ]
    deep = Block(id="d", type="paragraph", parent_id="c0", content="A child of a child.")
    asyncio.run(opened.put_block(*pages, *near, *inside, deep, workspace="acme"))
    yield opened
    opened.close()


def scores(payload: ContextPayload, section: int = 1) -> dict[str, float]:
    return {each.block_id: round(each.relevance, 4) for each in payload.sections[section].items}


AROUND = {
    "b4": 1.0,
    "page0": 0.9,
    "page1": 0.8,
    "page2": 0.7,
    "b3": 0.8,
    "b5": 0.8,
    "b2": 0.75,
    "b6": 0.75,
    "c0": 0.85,
    "c1": 0.8,
    "c2": 0.75,
    "c3": 0.7,
    "c4": 0.65,
}


def test_the_scores_around_a_block_are_those_of_the_design(store: BlockStore):
    config = only("focus", weights=COLLECTED)
    assert scores(ask(store, focus=Focus(block_id="b4"), config=config)) == AROUND


def test_a_block_that_is_found_twice_has_the_better_of_its_scores(store: BlockStore):
    """The page that the block is in adds what is inside it, and changes nothing else."""
    config = only("focus", weights=COLLECTED)
    payload = ask(store, focus=Focus(block_id="b4", page_id="page0"), config=config)
    found = scores(payload)
    inside = {"b0": 0.85, "b1": 0.8, "b7": 0.5, "b8": 0.45}
    assert found == {**AROUND, **inside, "page0": 1.0}
    assert {"b4", "page0"} <= {*ids(payload, "focus")}


@pytest.mark.parametrize(
    ("query", "kind"), [("zebra", 0.5), ("break it into subtasks", 0.9), ("all TASKS", 0.9)]
)
def test_the_scorer_has_the_weights_of_the_design(store: BlockStore, query: str, kind: float):
    asyncio.run(store.record_view("b4", ANN))
    payload = ask(store, query, focus=Focus(block_id="b4"), config=only("focus"))
    score = 0.35 * 1 + 0.25 * 1 + 0.15 * (1 - 4 / 30) + 0.15 * kind + 0.10 * 0.5
    assert scores(payload)["b4"] == pytest.approx(score, abs=1e-3)
    score = 0.35 * 0.8 + 0.25 * (1 - 0.2) + 0.15 * (1 - 3 / 30) + 0.15 * 0.5
    assert scores(payload)["b3"] == pytest.approx(score, abs=1e-3)


def test_the_focus_comes_first_however_old_it_is(store: BlockStore):
    old = Block(id="b4", type="todo", parent_id="page0", position=4, content="Block 4.",
                last_modified=NOW - timedelta(days=900))  # fmt: skip
    asyncio.run(store.put_block(old, workspace="acme"))
    budget = TokenBudget(total=90, focus=20, semantic=0, relations=0, activity=0)
    payload = ask(store, focus=Focus(block_id="b4"), token_budget=budget)
    assert ids(payload, "focus")[0] == "b4"


def test_a_page_is_shown_whole_and_in_its_order(store: BlockStore, tmp_path: Path):
    """A page of a folder has all its text itself; its outline comes first."""
    text = "# Launch\n\n" + "\n\n".join(f"## Part {n}\n\n{part}" for n, part in enumerate(PARTS))
    folder = written(tmp_path / "notes", {"launch.md": text})
    asyncio.run(store.import_markdown(folder, "acme", blocks=False))
    payload = ask(store, "Summarize this page", focus=Focus(page_id="launch.md"))
    outline, *blocks = [each.content for each in payload.sections[1].items]
    assert outline.splitlines() == ["Launch", *(f"Part {n}" for n in range(6))]
    assert [part for part in "\n".join(blocks).splitlines() if part in PARTS] == PARTS


def test_hints_exclude_a_block_from_outlines_and_from_what_is_included(store: BlockStore):
    hints = ContextHints(exclude_blocks=["b0"], include_blocks=["b0", "c1"])
    payload = ask(store, "block", focus=Focus(page_id="page0"), hints=hints)
    assert "Block 0." not in payload.serialized
    assert "c1" in ids(payload, "focus")


def test_blocks_of_hints_are_there_without_a_budget_for_focus(store: BlockStore):
    """A chat has none, and names blocks all the same."""
    hints = ContextHints(include_blocks=["b0", "c1"])
    payload = ask(store, "zebra", hints=hints, token_budget=TokenBudget(focus=0, semantic=3000))
    assert {*ids(payload, "focus")} == {"b0", "c1"}
    none = ask(store, "zebra", hints=ContextHints(), token_budget=TokenBudget(focus=0))
    assert ids(none, "focus") == []
    off = ask(store, "zebra", hints=hints, config=only("semantic"))
    assert ids(off, "focus") == []


@pytest.mark.parametrize(
    ("depth", "found"), [(0, set()), (1, {"c0"}), (2, {"c0", "d"}), (50, {"c0", "d"})]
)
def test_hints_limit_the_levels_below_the_focus(store: BlockStore, depth: int, found: set[str]):
    hints = ContextHints(max_depth=depth)
    payload = ask(store, focus=Focus(block_id="b4"), hints=hints, config=only("focus"))
    assert {"c0", "d"} & {*ids(payload)} == found
    assert {"b4", "page0", "b3"} <= {*ids(payload)}


def test_viewed_pages_are_shown_by_their_outlines_and_edited_ones_by_their_text(store: BlockStore):
    asyncio.run(store.record_view("page0", ANN))
    asyncio.run(store.record_edit("page1", ANN))
    asyncio.run(store.record_view("page1", ANN))
    payload = ask(store, config=only("activity"))
    shown = {each.block_id: each.content for each in payload.sections[4].items}
    lines = ["Page 0", "Text of page 0.", *(f"Block {n}." for n in range(9))]
    assert shown == {"page1": "Text of page 1.", "page0": "\n".join(lines)}


def test_recent_activity_has_ten_edits_and_five_views_of_72_hours(store: BlockStore):
    for hour, block in enumerate([*(f"b{n}" for n in range(9)), "c0", "c1", "c2"]):
        asyncio.run(store.record_edit(block, ANN, NOW - timedelta(hours=hour)))
    for hour in range(5):
        asyncio.run(store.record_view(f"page{hour}", ANN, NOW - timedelta(hours=hour)))
    asyncio.run(store.record_view("d", ANN, NOW - timedelta(hours=6)))
    config = only("activity", weights=COLLECTED)
    edits = {
        name: round(0.6 - 0.02 * n, 2)
        for n, name in enumerate([*(f"b{n}" for n in range(9)), "c0"])
    }
    views = {f"page{n}": round(0.5 - 0.02 * n, 2) for n in range(5)}
    assert scores(ask(store, config=config), 4) == {**edits, **views}
    asyncio.run(store.record_edit("c7", ANN, NOW - timedelta(hours=73)))
    wide: Any = {**config.collectors, "activity": {"edits": 50, "views": 0}}
    found = scores(ask(store, config=only("activity").model_copy(update={"collectors": wide})), 4)
    assert "c2" in found
    assert "c7" not in found


def test_relations_of_a_block_have_the_scores_of_the_design_and_half_in_the_second_step(
    store: BlockStore,
):
    for source, target, kind in (
        *(("b4", "b0", "rows"), ("b0", "b1", "rows"), ("b1", "b2", "rows")),
        *(("b4", "c0", "links"), ("c0", "c1", "links"), ("b4", "b0", "links")),
        *(("b8", "b4", "links"), ("b7", "b8", "links")),
    ):
        asyncio.run(store.link(source, target, "acme", kind))
    config = only("relations", weights=COLLECTED)
    assert scores(ask(store, focus=Focus(block_id="b4"), config=config), 3) == {
        "b0": 0.75,
        "c0": 0.7,
        "b8": 0.65,
        "b1": 0.375,
        "c1": 0.35,
        "b7": 0.325,
    }
    for n in range(12):
        block = Block(id=f"r{n}", type="db_row", content=f"Row {n}")
        asyncio.run(store.put_block(block, workspace="acme"))
        asyncio.run(store.link("b4", f"r{n}", "acme", "rows"))
    assert len(ids(ask(store, focus=Focus(block_id="b4"), config=config), "relations")) == 10


def test_a_focus_that_is_gone_is_named_and_the_chat_goes_on(store: BlockStore):
    """A page that a colleague deleted ended every chat about it with an error."""
    focus = Focus(block_id="b4", page_id="page0")
    hints = ContextHints(include_blocks=["b1", "b2"])
    assert ask(store, "block", focus=focus, hints=hints).metadata.unknown == ()
    asyncio.run(store.delete_block("b4", "acme"))
    asyncio.run(store.make_private("b2", "acme", users=["bob"]))
    payload = ask(store, "block", focus=focus, hints=hints)
    assert payload.metadata.unknown == ("focus.block_id: b4", "hints.include_blocks[1]: b2")
    assert {"page0", "b1"} <= {*ids(payload, "focus")}
    assert "b4" not in ids(payload)
    asyncio.run(store.delete_block("page0", "acme"))
    gone = ask(store, "page", focus=focus)
    assert gone.metadata.unknown == ("focus.block_id: b4", "focus.page_id: page0")
    assert ids(gone, "focus") == []
    assert "page1" in ids(gone, "semantic")


def test_preferences_of_a_user_are_in_every_context(store: BlockStore):
    wants = Preferences(language="German", tone="short", pinned=["c1", "gone"])
    payload = ask(store, "block", preferences=wants)
    assert "Answer in German. Write in this tone: short." in payload.serialized
    assert "c1" in ids(payload, "focus")
    assert payload.metadata.unknown == ("hints.include_blocks[1]: gone",)
    assert "Answer in" not in ask(store, "block").serialized
    assert repr(payload).startswith("<ContextPayload: 1 focus, ")
    assert "unknown=['hints.include_blocks[1]: gone']" in repr(payload)
