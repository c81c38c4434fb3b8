"""The index of words of the embedded store: the same in one row, in many, sorted, merged, and after removals."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path
from random import Random
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings, strategies as st

from biblicus_context.errors import InputError
from biblicus_context.stores import Batch, Store
from biblicus_context.stores.sqlite import open_store
from biblicus_context.stores.sqlite.schema.word_packs import numbers
from biblicus_context.stores.sqlite.write import sorted_words, word_index
from biblicus_context.testing.memory_store import InMemoryStore
from biblicus_context.testing.store_contract.by_id import text_scores
from biblicus_context.testing.store_samples import (
    ANN,
    INDEXER,
    entry,
    put,
    written,
)
from tests.stores.test_sqlite_files import database

WORDS = ["alpha", "beta", "gamma", "x-ray", "don't", "naïve", "delta delta delta", "zzyzx"]
TERMS = [*WORDS, "ray", "t", "title", "absent"]

texts = st.lists(st.sampled_from(WORDS), max_size=5).map(" ".join)
steps = st.lists(
    st.one_of(
        st.tuples(st.just("put"), st.sampled_from("abcdef"), st.lists(texts, max_size=4)),
        st.tuples(st.just("remove"), st.sampled_from("abcdef"), st.just([])),
        st.tuples(st.just("vacuum"), st.just(""), st.just([])),
        st.tuples(st.just("prepare"), st.just(""), st.just([])),
    ),
    min_size=1,
    max_size=14,
)


@pytest.fixture
def tiny(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every limit is reached by a few words."""
    for name, value in {
        "_WORDS_OF_A_ROW": 6,
        "_MOST_RECENT": 12,
        "_WORTH_SORTING": 3,
        "_MOST_RECENT_OF_AN_INGEST": 12,
    }.items():
        monkeypatch.setattr(word_index, name, value)
    monkeypatch.setattr(sorted_words, "MOST_ENTRIES", 2)
    monkeypatch.setattr(sorted_words, "_MOST_ALIKE", 3)
    monkeypatch.setattr(sorted_words, "_MOST_COUNTED", 2)


def done(store: Store, kind: str, name: str, own: list[str]) -> None:
    if kind == "put":
        store.write(INDEXER, put(entry(name, *own, title=f"title {name}")))
    elif kind == "remove":
        store.write(INDEXER, Batch(remove=(name,)))
    elif kind == "prepare":
        store.prepare(INDEXER)
    else:
        store.vacuum()


@settings(
    deadline=None, max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(steps)
def test_scores_are_those_of_a_store_without_an_index(
    tiny: None, tmp_path_factory: pytest.TempPathFactory, steps: list[tuple[str, str, list[str]]]
):
    folder, plain = tmp_path_factory.mktemp("stores") / "store", InMemoryStore()
    with open_store(folder) as store:
        for step in steps:
            done(store, *step)
            done(plain, *step)
        for term in TERMS:
            assert text_scores(store, ANN, [term]) == text_scores(plain, ANN, [term])
    with open_store(folder) as store:
        assert store.check() == ()


def test_a_word_that_fills_a_block_counts_as_often_as_it_is_there(tmp_path: Path):
    many = " ".join(["echo"] * 70_000 + ["then", "stop"])
    plain = InMemoryStore()
    with open_store(tmp_path / "store") as store:
        for each in (store, plain):
            written(each, entry("a", many, "echo"), *(entry(f"f{n}", "filler") for n in range(9)))
        store.prepare(ANN)
        for term in ("echo", "echo-then", "then-stop", "echo-stop"):
            assert text_scores(store, ANN, [term]) == text_scores(plain, ANN, [term])
        assert store.check() == ()
        store.write(INDEXER, Batch(remove=("a",)))
        assert store.check() == ()
        assert not any(text_scores(store, ANN, ["echo"]).values())


def rows_of(folder: Path, select: str) -> list[Any]:
    with closing(sqlite3.connect(database(folder))) as connection:
        return connection.execute(select).fetchall()


@pytest.mark.parametrize("is_sorted", [False, True])
def test_what_is_removed_leaves_the_index_with_its_stems(
    tiny: None, tmp_path: Path, *, is_sorted: bool
):
    """Also as numbers: they tell the words of a text as well as its letters do."""
    with open_store(tmp_path / "store") as store:
        written(store, *(entry(f"k{n}", "kept words", title="Page") for n in range(5)))
        written(store, entry("secret", "xylophonist kept zither words", title="Lyre"))
        written(store, entry("last", "kept words"))
        if is_sorted:
            store.prepare(ANN)
        names = dict(rows_of(tmp_path / "store", "SELECT stem, row FROM stems"))
        assert {"xylophonist", "zither", "lyre"} <= names.keys()
        store.write(ANN, Batch(remove=("secret",)))
        left = {stem for (stem,) in rows_of(tmp_path / "store", "SELECT stem FROM stems")}
        assert left == names.keys() - {"xylophonist", "zither", "lyre"}
        packs = rows_of(tmp_path / "store", "SELECT parts FROM postings")
        packs += rows_of(tmp_path / "store", "SELECT parts FROM recent_words")
        blocks = {part >> 1 for (pack,) in packs for part in numbers(pack)}
        assert 6 not in blocks
        assert store.check() == ()
        assert sum(text_scores(store, ANN, ["kept"]).values()) > 0


def test_the_words_of_a_removed_text_are_in_no_file_as_numbers(tmp_path: Path):
    folder, dice = tmp_path / "store", Random(3)
    words = [f"word{number}" for number in range(400)]
    with open_store(folder) as store:
        for n in range(30):
            written(store, entry(f"d{n}", " ".join(dice.choices(words, k=40))))
        ((packed, stems),) = rows_of(folder, "SELECT parts, stems FROM recent_words")
        start = sum(numbers(packed)[1:40:2])
        needle = stems[4 * start : 4 * start + 4 * 40]
        store.write(INDEXER, Batch(remove=("d20",)))
    assert not [path for path in folder.rglob("*") if needle in path.read_bytes()]


def test_words_that_a_failed_write_added_are_added_again(tmp_path: Path):
    """What a connection remembers of stems ends with the transaction that added them."""
    with open_store(tmp_path / "store") as store:
        written(
            store, entry("a", "first", vectors=[[1, 0]]), *(entry(f"f{n}", "x") for n in range(9))
        )
        with pytest.raises(InputError):
            written(store, entry("b", "unheard of", vectors=[[float("nan"), 0]]))
        written(store, entry("c", "of another unheard"))
        assert store.check() == ()
        assert text_scores(store, ANN, ["unheard"])["c#0"] > 0


def test_stems_that_another_process_removed_are_added_again(tmp_path: Path):
    with open_store(tmp_path / "store") as one, open_store(tmp_path / "store") as other:
        written(one, entry("a", "only here"), *(entry(f"f{n}", "x") for n in range(9)))
        other.write(INDEXER, Batch(remove=("a",)))
        written(one, entry("b", "only here"))
        assert one.check() == ()
        assert text_scores(other, ANN, ["only"])["b#0"] > 0
