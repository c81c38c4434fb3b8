"""Misspelt words are compared with the words of every block, however these were written."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path
from random import Random

import pytest
from hypothesis import HealthCheck, given, settings, strategies as st
from rapidfuzz.distance import OSA

from biblicus_context.stores.ranking.spelling import alike
from biblicus_context.stores.sqlite import SqliteStore, open_store
from biblicus_context.stores.sqlite.read import spelling
from biblicus_context.stores.sqlite.write import vocabulary
from biblicus_context.stores.words import stems_of
from biblicus_context.testing.store_samples import (
    ANN,
    Entry,
    entry,
    ids,
    search_fuzzy,
    written,
)
from tests.pace import within
from tests.permissions import permissions_hold
from tests.stores.test_sqlite_files import database

MANY = vocabulary.FEW + 1


def wonders(name: str, blocks: int = MANY) -> Entry:
    """A document of so many blocks, with a word of its own in the last of them."""
    return entry(name, *("filler" for _ in range(blocks - 1)), f"wonderful{name}")


def slip(name: str) -> list[str]:
    return [f"wonderfull{name}"]


def stems(folder: Path) -> set[str]:
    """Those that misspelt words are compared with by an index."""
    with closing(sqlite3.connect(database(folder))) as connection:
        rows = connection.execute("SELECT stem FROM stems WHERE row <= (SELECT spelt FROM space)")
        return {stem for (stem,) in rows}


@pytest.fixture
def store(tmp_path: Path) -> SqliteStore:
    with open_store(tmp_path / "store") as opened:
        yield opened


def test_a_large_batch_is_searched_for_misspelt_words_before_anything_is_prepared(
    store: SqliteStore, tmp_path: Path
):
    written(store, wonders("aa"))
    assert "wonderfulaa" not in stems(tmp_path / "store")
    assert ids(search_fuzzy(store, ANN, slip("aa"))) == [f"aa#{MANY - 1}"]


def test_what_is_prepared_is_found_as_before(store: SqliteStore, tmp_path: Path):
    written(store, wonders("aa"))
    before = search_fuzzy(store, ANN, slip("aa"))
    store.prepare(ANN)
    assert "wonderfulaa" in stems(tmp_path / "store")
    assert search_fuzzy(store, ANN, slip("aa")) == before


def test_a_small_batch_needs_no_preparing_and_makes_good_what_nobody_prepared(
    store: SqliteStore, tmp_path: Path
):
    written(store, wonders("aa", 2))
    assert "wonderfulaa" in stems(tmp_path / "store")
    written(store, wonders("bb"))
    written(store, wonders("cc", 2))
    assert {"wonderfulaa", "wonderfulbb", "wonderfulcc"} <= stems(tmp_path / "store")


def test_headings_and_titles_are_compared_too(store: SqliteStore):
    written(store, entry("a", "filler", title="Café Marvellous"), wonders("bb", 3))
    assert ids(search_fuzzy(store, ANN, ["marvelous"])) == ["a#0"]
    assert ids(search_fuzzy(store, ANN, ["caffe"])) == ["a#0"]


def test_where_nobody_may_write_preparing_changes_nothing(tmp_path: Path):
    with open_store(tmp_path / "store") as store:
        written(store, wonders("aa"))
    for path in (database(tmp_path / "store"), tmp_path / "store"):
        path.chmod(0o500)
    with permissions_hold(), open_store(tmp_path / "store", create=False) as store:
        store.prepare(ANN)
        assert ids(search_fuzzy(store, ANN, slip("aa"))) == [f"aa#{MANY - 1}"]


@settings(
    max_examples=15, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(
    steps=st.lists(
        st.tuples(st.sampled_from("abc"), st.sampled_from([1, 3, MANY])), min_size=1, max_size=5
    )
)
def test_after_preparing_every_word_of_the_index_is_compared(
    tmp_path_factory: pytest.TempPathFactory, steps: list[tuple[str, int]]
):
    folder = tmp_path_factory.mktemp("stores") / "store"
    texts = {}
    with open_store(folder) as store:
        for number, (name, blocks) in enumerate(steps):
            texts[name] = [f"{name}word{number}x{block}" for block in range(blocks)]
            written(store, entry(name, *texts[name]))
        store.prepare(ANN)
        assert store.check() == ()
        known = {stem for own in texts.values() for each in own for stem in stems_of(each)}
        assert stems(folder) >= known
        store.vacuum()
        assert stems(folder) == known


def misspelt(chance: Random, word: str) -> str:
    at = chance.randrange(1, len(word))
    return f"{word[:at]}{chance.choice('abc123')}{word[at + 1 :]}"


@pytest.mark.parametrize("is_prepared", [True, False])
def test_a_long_query_of_misspelt_words_over_words_that_are_all_alike_takes_a_moment(
    store: SqliteStore, *, is_prepared: bool
):
    """24,000 order numbers and 400 of them misspelt took 18 seconds."""
    words, chance = [f"w{number}" for number in range(24_000)], Random(1)
    written(store, entry("orders", *(" ".join(words[n : n + 40]) for n in range(0, 24_000, 40))))
    if is_prepared:
        store.prepare(ANN)
    search_fuzzy(store, ANN, ["begin"])  # opens what every search needs
    asked = [misspelt(chance, each) for each in chance.sample(words, 400)]
    with within(1.0):
        assert search_fuzzy(store, ANN, asked)


@settings(
    deadline=None, max_examples=30, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(
    st.lists(st.text("abcd", min_size=2, max_size=7), min_size=1, max_size=60, unique=True),
    st.lists(st.text("abcde", min_size=2, max_size=7), min_size=1, max_size=5),
    st.sampled_from([0.5, 0.7, 0.85]),
)
def test_the_words_that_count_are_those_that_are_alike_and_share_a_fifth_of_their_trigrams(
    tmp_path_factory: pytest.TempPathFactory,
    words: list[str],
    asked: list[str],
    similarity: float,
):
    with open_store(tmp_path_factory.mktemp("spelt")) as store:
        written(store, entry("a", " ".join(words)))
        with closing(sqlite3.connect(database(store.path))) as connection:
            known = [each for (each,) in connection.execute("SELECT stem FROM stems")]
            like_them = spelling.spelt_like(connection, asked)
            found = {each: alike(each, like_them[each], similarity) for each in asked}
    for each in asked:
        own = spelling.trigrams(each)
        like = {
            other: OSA.normalized_similarity(each, other)
            for other in known
            if len(own & spelling.trigrams(other)) * 5 >= len(own)
        }
        expected = {other: score for other, score in like.items() if score >= similarity}
        assert {s.stems[0]: s.weight for s in found[each]} == pytest.approx({**expected, each: 1.0})
