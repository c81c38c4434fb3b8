"""Scores against a second opinion: FTS5's own bm25."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings, strategies as st

from biblicus_context.stores import (
    Batch,
    Bm25,
    Document,
    Entry,
)
from biblicus_context.stores.sqlite import open_store
from biblicus_context.testing.store_samples import (
    ANN,
    block,
    entry,
    put,
    search_text,
    written,
)

WORDS = ["cat", "cats", "dog", "x-ray", "ray", "running", "run", "don't", "café", "the"]
texts = st.lists(st.sampled_from(WORDS), max_size=8).map(" ".join)


def fts5(
    blocks: Sequence[tuple[str, str]], terms: Sequence[str], heading: float, text: float
) -> dict[int, float]:
    """What SQLite itself makes of headings, texts and terms."""
    with closing(sqlite3.connect(":memory:")) as connection:
        connection.execute(
            "CREATE VIRTUAL TABLE t USING fts5 (heading, text,"
            " tokenize='porter unicode61 remove_diacritics 2')"
        )
        connection.executemany("INSERT INTO t VALUES (?, ?)", blocks)
        query = " OR ".join(f'"{term}"' for term in terms)
        rows = connection.execute(
            "SELECT rowid - 1, -bm25(t, ?, ?) FROM t WHERE t MATCH ?", (heading, text, query)
        )
        return dict(rows.fetchall())


@given(
    blocks=st.lists(st.tuples(texts, texts), min_size=1, max_size=12),
    terms=st.lists(st.sampled_from(WORDS), min_size=1, max_size=5),
    heading=st.sampled_from([1.0, 0.5, 3.0]),
    text=st.sampled_from([1.0, 2.0]),
)
@settings(max_examples=60)
def test_scores_are_those_of_fts5(
    blocks: list[tuple[str, str]], terms: list[str], heading: float, text: float
):
    with TemporaryDirectory() as folder, open_store(folder) as store:
        rows = tuple(
            block("a", n, text, heading=(heading,)) for n, (heading, text) in enumerate(blocks)
        )
        store.write(ANN, put(Entry(Document(id="a"), rows)))
        hits = search_text(store, ANN, terms, weights=Bm25(heading=heading, text=text), limit=99)
    found = {hit.place.position: hit.score for hit in hits}
    assert found == pytest.approx(fts5(blocks, terms, heading, text), rel=1e-9)


def test_what_others_wrote_or_removed_does_not_change_scores(tmp_path: Path):
    fillers = [entry(f"f{n}", "cat filler") for n in range(5)]
    with open_store(tmp_path / "one") as lived, open_store(tmp_path / "two") as fresh:
        written(lived, *fillers, entry("a", "cat dog"), entry("b", "dog dog"))
        lived.write(ANN, Batch(remove=tuple(f"f{n}" for n in range(5))))
        written(lived, entry("b", "dog bird"))
        written(fresh, entry("b", "dog bird"), entry("a", "cat dog"))
        assert search_text(lived, ANN, ["cat", "dog"]) == search_text(fresh, ANN, ["cat", "dog"])
