"""What is kept from models is in no context of anybody, and stays with its readers otherwise."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings, strategies as st

from biblicus_context import Record
from biblicus_context.systems.workspace import (
    Block,
    BlockStore,
    ContextBuilder,
    ContextHints,
    Focus,
    RecordTree,
)
from tests.systems.workspace.asking import ANN, ask

SECRET = "xylophone"


@pytest.fixture
def store(place: str | Path) -> Iterator[BlockStore]:
    opened = BlockStore.open(place, embedder=None)
    asyncio.run(
        opened.put_block(
            Block(id="plans", type="page", title="Plans", content="All plans."),
            Block(id="pay", type="page", title=f"Pay {SECRET}", parent_id="plans", ai=False),
            Block(id="raise", type="todo", content=f"A {SECRET} for Ann.", parent_id="pay"),
            Block(id="note", type="text", content=f"{SECRET} note.", parent_id="plans"),
            workspace="acme",
        )
    )
    asyncio.run(opened.link("plans", "raise", "acme"))
    yield opened
    opened.close()


def said(store: BlockStore, **request: Any) -> str:
    return ask(store, f"What about the {SECRET}?", **request).serialized.partition("User Query")[0]


@pytest.mark.on_postgres
def test_a_block_and_what_is_inside_it_are_in_no_context(store: BlockStore):
    """Neither by a search, nor as focus, outline, link, path or activity."""
    asyncio.run(store.record_edit("raise", ANN))
    asyncio.run(store.record_view("pay", ANN))
    for request in (
        {},
        {"focus": Focus(page_id="plans")},
        {"focus": Focus(page_id="plans"), "hints": ContextHints(max_depth=9)},
        {"focus": Focus(block_id="plans")},
    ):
        found = said(store, **request)
        assert f"Pay {SECRET}" not in found
        assert "for Ann" not in found
    assert f"{SECRET} note." in said(store)


def test_its_readers_stay_and_count_again_when_models_may_read_it(store: BlockStore):
    asyncio.run(store.grant("raise", "acme", users=["bob"]))
    kept = asyncio.run(store.readers_of("raise", "acme"))
    assert (kept.users, kept.said_by, kept.ai) == ({"bob"}, "raise", False)
    asyncio.run(store.allow_models("pay", "acme"))
    now = asyncio.run(store.readers_of("raise", "acme"))
    assert (now.users, now.said_by, now.ai) == ({"bob"}, "raise", True)
    assert "for Ann" not in said(store)
    asyncio.run(store.grant("raise", "acme", users=["ann"]))
    assert "for Ann" in said(store)


def test_an_edit_or_a_move_opens_nothing(store: BlockStore):
    """A program that writes a block again need not know of the mark."""
    page = Block(id="pay", type="page", title=f"Pay {SECRET}", parent_id="plans")
    asyncio.run(store.put_block(page, workspace="acme"))
    assert "for Ann" not in said(store)
    asyncio.run(store.move_block("pay", "acme", None))
    asyncio.run(store.make_public("pay", "acme"))
    assert "for Ann" not in said(store)
    asyncio.run(store.move_block("raise", "acme", "plans"))
    assert "for Ann" in said(store)


def test_a_page_of_a_kept_folder_cannot_open_itself(store: BlockStore):
    asyncio.run(store.allow_models("raise", "acme"))
    assert "for Ann" not in said(store)


def test_what_was_built_before_is_reported(store: BlockStore):
    """`validate` says what is the matter, also inside an outline."""
    payload = ask(store, f"What about the {SECRET}?", focus=Focus(page_id="plans"))
    assert "note" in {name for each in payload.sections for i in each.items for name in i.documents}
    builder = ContextBuilder(store)
    assert builder.validate(payload).valid
    asyncio.run(store.keep_from_models("note", "acme"))
    assert builder.validate(payload).problems == ("ai: block 'note' is kept from models",)


def test_front_matter_keeps_a_page_from_models(tmp_path: Path):
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes" / "a.md").write_text(f"---\nai: false\n---\n# A\n\nA {SECRET} here.\n")
    (tmp_path / "notes" / "b.md").write_text("# B\n\nTea.\n")
    store = BlockStore.open(tmp_path / "workspace", embedder=None)
    asyncio.run(store.import_markdown(tmp_path / "notes", "acme"))
    assert SECRET not in said(store)
    assert not asyncio.run(store.readers_of("a.md", "acme")).ai
    store.close()


NAMES = ["a", "b", "c", "d", "e"]
steps = st.lists(
    st.tuples(
        st.sampled_from(["put", "move", "keep", "allow", "grant", "private", "public", "inherit"]),
        st.sampled_from(NAMES),
        st.sampled_from([*NAMES, None]),
    ),
    max_size=14,
)


@settings(max_examples=25, suppress_health_check=[HealthCheck.too_slow])
@given(steps=steps)
def test_a_model_of_its_own_agrees_on_what_is_kept(
    steps: list[tuple[str, str, str | None]], tmp_path_factory: pytest.TempPathFactory
):
    """After any changes, exactly what says so, and what is inside that, is kept."""
    place = tmp_path_factory.mktemp("tree")
    store = BlockStore.open(place, embedder=None)
    tree = RecordTree(store.corpus, "acme")
    tree.put([Record(id=each, text=f"{each} {SECRET}") for each in NAMES])
    parents: dict[str, str | None] = dict.fromkeys(NAMES)
    kept: set[str] = set()
    own: dict[str, frozenset[str] | None] = dict.fromkeys(NAMES)  # None: as its page

    def above(name: str | None) -> list[str]:
        return [] if name is None else [name, *above(parents[name])]

    for what, name, other in steps:
        if what in ("put", "move"):
            if other in (name, None) or name in above(other):
                continue
            if what == "put":
                tree.put([Record(id=name, text=f"{name} {SECRET}", parent=other)])
            else:
                tree.move(name, other)
            parents[name] = other
        elif what == "keep":
            tree.keep_from_models(name)
            kept.add(name)
        elif what == "allow":
            tree.allow_models(name)
            kept.discard(name)
        elif what == "private":
            tree.make_private(name, users=["ann"])
            own[name] = frozenset({"ann"})
        elif what == "grant":
            now = next((own[each] for each in above(name) if own[each] is not None), None)
            tree.grant(name, users=["bob"])
            own[name] = (now or frozenset()) | {"bob"}
        elif what == "public":
            tree.make_public(name)
            own[name] = frozenset()
        else:
            tree.inherit_readers(name)
            own[name] = None
    seen = {each.id for each in store.corpus.for_principal(ANN.principal).documents()}
    for name in NAMES:
        readers = next((own[each] for each in above(name) if own[each] is not None), None)
        for_models = kept.isdisjoint(above(name))
        found = tree.readers_of(name)
        assert (found.ai, found.users) == (for_models, readers or frozenset()), name
        assert (name in seen) == (for_models and (not readers or "ann" in readers)), name
    store.close()
