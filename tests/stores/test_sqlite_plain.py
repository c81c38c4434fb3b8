"""Without numpy, text searches find the same blocks with the same scores, to the last bit."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory
from unittest.mock import patch

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from biblicus_context.errors import InputError, MissingExtraError
from biblicus_context.stores import Batch, Bm25, Document, Entry, Filters, Readers, search_text
from biblicus_context.stores.sqlite import open_store
from biblicus_context.testing.store_samples import ANN, BOB, block, put

WORDS = ["cat", "cats", "dog", "x-ray", "ray", "running", "run", "don't", "café", "the"]
PLAIN = patch("biblicus_context.stores.sqlite.files.workspace.find_spec", lambda _: None)
"""What a store sees where numpy is not installed."""
texts = st.lists(st.sampled_from(WORDS), max_size=8).map(" ".join)
documents = st.lists(
    st.tuples(st.lists(st.tuples(texts, texts), min_size=1, max_size=4), st.booleans()),
    min_size=1,
    max_size=5,
)


@given(
    written=documents,
    removed=st.booleans(),
    terms=st.lists(st.sampled_from(WORDS), min_size=1, max_size=5),
    weights=st.builds(Bm25, heading=st.sampled_from([0.0, 1.0, 2.5]), text=st.just(1.0)),
    limit=st.integers(0, 9),
    only=st.sampled_from([None, "0", "1"]),
)
@settings(max_examples=60)
def test_both_searches_return_the_same(written, removed, terms, weights, limit, only):
    filters = Filters(documents=(only,)) if only is not None else Filters()
    with TemporaryDirectory() as folder:
        with open_store(folder) as store:
            for number, (blocks, private) in enumerate(written):
                name = str(number)
                readers = Readers(users=frozenset(["ann"])) if private else Readers()
                rows = tuple(
                    block(name, n, text, heading=(heading,))
                    for n, (heading, text) in enumerate(blocks)
                )
                store.write(ANN, put(Entry(Document(id=name, readers=readers), rows)))
            if removed:
                store.write(ANN, Batch(remove=("0",)))
            results = [_found(store, who, terms, weights, limit, filters) for who in (ANN, BOB)]
        with PLAIN, open_store(folder) as store:
            plain = [_found(store, who, terms, weights, limit, filters) for who in (ANN, BOB)]
    assert plain == results


def _found(store, who, terms, weights, limit, filters) -> tuple[object, ...]:
    version = store.state(who).version
    hits = search_text(store, who, terms, weights=weights, limit=limit, filters=filters)
    ranked = store.rank_text(who, terms, weights=weights, limit=limit, filters=filters, at=version)
    few = store.rank_text(who, terms, among=ranked.numbers[:2], limit=limit, at=version)
    numbers = [[int(each) for each in found.numbers] for found in (ranked, few)]
    return hits, numbers, store.count_terms(who, terms, at=version)


def test_searches_that_need_numpy_name_it(tmp_path: Path):
    with PLAIN, open_store(tmp_path / "store") as store:
        store.write(ANN, put(Entry(Document(id="a"), (block("a", 0, "cat"),))))
        with pytest.raises(MissingExtraError, match="pip install"):
            search_text(store, ANN, ["cat"], similarity=0.8)
        with pytest.raises(MissingExtraError, match="pip install"):
            store.layout(ANN, [0], at=1)
        with pytest.raises(InputError):
            store.places(ANN, [7], at=1)
