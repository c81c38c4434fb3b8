"""How often a search waits for the server: the network's time is paid once for each."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

import pytest

from biblicus_context.stores import Principal, SearchRequest, Store, search_text
from biblicus_context.stores.postgres.source import PostgresSource
from biblicus_context.stores.postgres.store import PostgresStore
from biblicus_context.stores.source import Scope
from biblicus_context.testing.store_samples import ANN, INDEXER, day, entry, put, query
from tests.stores.postgres import postgres_store

WORDS = [
    "tea",
    "water",
    "bread",
    "rye",
    "green",
    "boil",
    "steep",
    "minute",
    "degree",
    "hour",
    "oven",
    "salt",
    "flour",
    "yeast",
]


@pytest.fixture(scope="module")
def store() -> Iterator[PostgresStore]:
    random = Random(1)
    entries = [
        entry(
            f"d{n}",
            *(" ".join(random.choices(WORDS, k=30)) for _ in range(3)),
            vectors=[[1, n]] * 3,
        )
        for n in range(40)
    ]
    entries.append(entry("long", "flour " * 40_000, vectors=[[0, 1]]))  # enough words to be sorted
    with postgres_store() as store:
        store.write(INDEXER, put(*entries))
        with store.view(ANN) as view:  # what a process reads once
            view.search(SearchRequest(terms=("tea",), vector=query(1, 1)))
        yield store


def trips(store: Store) -> int:
    assert isinstance(store.source, PostgresSource)
    return store.source.server.trips


@pytest.mark.parametrize(
    ("most", "request_"),
    [
        (2, SearchRequest(terms=("oven", "salt"))),
        (2, SearchRequest(vector=query(2, 1))),
        (2, SearchRequest(terms=("yeast",), vector=query(3, 1))),
    ],
)
def test_a_search_with_its_evidence_takes_two_trips(
    store: PostgresStore, most: int, request_: SearchRequest
):
    """What is newest, and what is shown: names and words of a collection are in memory."""
    before = trips(store)
    with store.view(ANN) as view:
        assert view.state.version == 1
        found = view.search(request_)
        rows = found.by_text if request_.terms else found.by_vector
        places = view.places(found, rows[:5])
        assert len(view.evidence([each.block_id for each in places])) == 5
    assert trips(store) - before <= most


def test_words_that_are_sorted_take_one_more_trip_once(store: PostgresStore):
    """Of words that are many, a search reads those it looks for; the next one knows them."""
    store.vacuum()
    with store.view(ANN) as view:  # all is packed again
        view.search(SearchRequest(terms=("tea",)))
    for text, most in (("flour", 3), ("flour", 2)):
        before = trips(store)
        with store.view(ANN) as view:
            hits = search_text(view, [text])
            view.evidence([each.block_id for each in hits[:5]])
        assert hits
        assert trips(store) - before == most


def test_a_look_up_is_one_trip(store: PostgresStore):
    """It says what is newest, and answers, at once."""
    for look_up in (
        lambda view: view.documents(["d1", "d2"]),
        lambda view: view.evidence(["d1#0"]),
        lambda view: view.list_documents(limit=3),
        lambda view: view.recent(limit=3) or view.state,
        lambda view: view.tree(["d1"], up=3) or view.version,
        lambda view: view.info(),
    ):
        before = trips(store)
        with store.view(ANN) as view:
            assert look_up(view)
        assert trips(store) - before == 1


def test_a_write_is_two_trips_and_a_count_one(store: PostgresStore):
    """The first one takes the collection and looks things up; the second one writes and commits."""
    who = Principal("trips", sees_all=True)
    store.write(who, put(entry("a", "one")))
    before = trips(store)
    store.source.apply(Scope(who), put(entry("b", "two", "three")), None, token="t", erase=True)
    assert trips(store) - before == 2
    before = trips(store)
    store.record_usage(who, used=["b#0", "b#1"], helpful=["b#0"], when=day(1))
    assert trips(store) - before == 1
