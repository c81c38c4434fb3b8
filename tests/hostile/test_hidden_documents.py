"""What one user can learn of another's documents in the same workspace: that ids are taken, and when it changed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest

from biblicus_context.stores import Batch, Entry, Principal, Store
from biblicus_context.stores.sqlite import open_store
from biblicus_context.testing.store_contract.isolation import observed, outcome
from biblicus_context.testing.store_samples import (
    ANN,
    INDEXER,
    ONLY_BOB,
    STRANGER,
    block,
    blocks,
    day,
    entry,
    put,
    relate,
    seen,
    written,
)

SHORT = entry("secret", "one word", readers=ONLY_BOB)
LONG = entry("secret", *["a much longer text " * 50] * 3, readers=ONLY_BOB, created=day(3))
PROBES: dict[str, Callable[[Store, Principal], object]] = {
    "put": lambda store, who: store.write(who, put(entry("secret", "mine"))),
    "put without blocks": lambda store, who: store.write(who, put(entry("secret"))),
    "remove": lambda store, who: store.write(who, Batch(remove=("secret",))),
    "relate": lambda store, who: store.write(who, relate(("mine", "cites", "secret"))),
    "use": lambda store, who: store.record_usage(who, used=["secret#0", "secret#2"], when=day(1)),
    "block": lambda store, who: (
        store.write(who, put(entry("mine", "a"))) and seen(store, who).relations(["mine"])
    ),
}


def learnt(folder: Path, *hidden: Entry, who: Principal = ANN) -> dict[str, object]:
    """All that a user can find out with reads and writes of their own."""
    with open_store(folder) as store:
        written(store, entry("open", "tea time"))
        for each in hidden or (None,):
            store.write(INDEXER, put(each) if each else Batch())
        found = {name: outcome(partial(probe, store, who)) for name, probe in PROBES.items()}
        return {**found, **observed(store, who)}


def test_nobody_learns_what_a_hidden_document_says_how_long_it_is_or_since_when(tmp_path: Path):
    assert learnt(tmp_path / "short", SHORT) == learnt(tmp_path / "long", LONG)


def test_a_writer_learns_that_an_id_is_taken_and_no_more(tmp_path: Path):
    full, bare = learnt(tmp_path / "full", SHORT), learnt(tmp_path / "bare")
    assert "may not replace the document with this id" in f"{full['put']}"
    assert "secret" not in f"{full['search_text']}{full['list_documents']}{full['relations']}"
    assert isinstance(bare["put"], int)


def test_a_block_of_a_hidden_document_cannot_be_replaced_by_its_id(tmp_path: Path):
    with open_store(tmp_path / "store") as store:
        written(store, SHORT)
        mine = entry("mine", "text")
        stolen = replace(mine, blocks=(block("mine", 0, "text", id="secret#0"),))
        before = blocks(store, Principal("acme", user="bob"), ["secret#0"])
        with pytest.raises(ValueError, match="belongs to another document"):
            store.write(ANN, put(stolen))
        assert blocks(store, Principal("acme", user="bob"), ["secret#0"]) == before


def test_another_workspace_learns_nothing_at_all(tmp_path: Path):
    assert learnt(tmp_path / "full", SHORT, who=STRANGER) == learnt(tmp_path / "bare", who=STRANGER)
