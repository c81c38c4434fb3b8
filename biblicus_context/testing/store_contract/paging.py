"""A read that is pinned to a version answers the same, whatever is written meanwhile."""

from __future__ import annotations

import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from threading import Event
from typing import Any, TypeAlias

import pytest
from hypothesis import given, strategies as st

from biblicus_context import stores
from biblicus_context.errors import InputError
from biblicus_context.stores import (
    Batch,
    Entry,
    Filters,
    SearchRequest,
    Store,
    VersionGoneError,
)
from biblicus_context.testing.store_contract.by_id import text_scores, vector_scores
from biblicus_context.testing.store_contract.isolation import (
    DOCUMENTS,
    WORDS,
    MakeStore,
    batches,
    entries,
    several,
)
from biblicus_context.testing.store_samples import (
    ANN,
    BOB,
    INDEXER,
    STRANGER,
    entry,
    ids,
    query,
    related_documents,
    search_fuzzy,
    search_text,
    search_vectors,
    seen,
    written,
)

Search: TypeAlias = Callable[..., tuple[Any, ...]]


def searches(store: Store) -> list[Search]:
    """Every search that has pages."""
    filters = Filters(documents=frozenset(DOCUMENTS[:3]))
    return [
        lambda **page: search_text(store, ANN, WORDS, **page),
        lambda **page: search_text(store, ANN, WORDS, filters=filters, **page),
        lambda **page: search_fuzzy(store, ANN, WORDS, **page),
        lambda **page: search_vectors(store, ANN, query(2, 1), **page),
        lambda at=None, **page: seen(store, ANN, at=at).recent(**page),
    ]


class PagingContract:
    """A part of StoreContract, which describes the fixtures."""

    @given(
        first=st.lists(
            entries("a"), min_size=2, max_size=4, unique_by=lambda each: each.document.id
        ),
        meanwhile=st.lists(batches("b"), min_size=1, max_size=5),
        size=st.integers(1, 3),
    )
    @several
    def test_pages_of_a_version_are_disjoint_and_complete(
        self, make_store: MakeStore, first: Any, meanwhile: list[Batch], size: int
    ) -> None:
        with make_store() as store:
            version = written(store, *first)
            whole = [search(limit=1000, at=version) for search in searches(store)]
            pages: list[tuple[Any, ...]] = [() for _ in whole]
            for number in range(12):
                if number < len(meanwhile):
                    store.write(INDEXER, meanwhile[number])
                for n, search in enumerate(searches(store)):
                    pages[n] += search(limit=size, offset=number * size, at=version)
            assert pages == whole
            assert all(len(set(ids(each))) == len(each) for each in pages)

    def test_a_version_without_blocks_stays_empty_once_others_write_some(
        self, make_store: MakeStore
    ) -> None:
        with make_store() as store:
            version = written(store, entry("a"))
            before = [search(limit=5) for search in searches(store)]
            written(store, entry("b", "said later", vectors=[[1, 0]]))
            assert [search(limit=5, at=version) for search in searches(store)] == before

    @given(
        first=st.lists(
            entries("a"), min_size=1, max_size=4, unique_by=lambda each: each.document.id
        ),
        meanwhile=st.lists(batches("b"), min_size=1, max_size=3),
    )
    @several
    def test_every_read_of_a_version_stays_as_it_was(
        self, make_store: MakeStore, first: Any, meanwhile: list[Batch]
    ) -> None:
        with make_store() as store:
            version = written(store, *first)

            def reads() -> list[Any]:
                return [
                    seen(store, ANN, at=version).blocks_of(["a"]),
                    seen(store, ANN, at=version).documents(DOCUMENTS),
                    seen(store, ANN, at=version).list_documents(),
                    seen(store, ANN, at=version).nearby(["a#0", "b#0"]),
                    related_documents(store, ANN, "a", at=version),
                    seen(store, ANN, at=version).relations(DOCUMENTS),
                    seen(store, ANN, at=version).info(),
                    text_scores(store, ANN, WORDS, at=version),
                    vector_scores(store, ANN, query(1, 2), at=version),
                ]

            before = reads()
            for batch in meanwhile:
                store.write(INDEXER, batch)
            assert reads() == before

    @given(
        first=st.lists(
            entries("a"), min_size=1, max_size=4, unique_by=lambda each: each.document.id
        ),
        meanwhile=batches("b"),
    )
    @several
    def test_reads_that_share_a_state_answer_as_they_do_alone(
        self, make_store: MakeStore, first: Any, meanwhile: Batch
    ) -> None:
        with make_store() as store:
            version = written(store, *first)

            def reads(at: int) -> list[Any]:
                return [
                    *(
                        (
                            seen(store, who, at=at).documents(DOCUMENTS),
                            seen(store, who, at=at).list_documents(),
                            text_scores(store, who, WORDS, at=at),
                            vector_scores(store, who, query(1, 2), at=at),
                        )
                        for who in (ANN, BOB)
                    ),
                    *(search(at=at) for search in searches(store)),
                    seen(store, STRANGER).info(),
                ]

            alone = reads(version)
            with store.view(ANN) as view:
                before = view.list_documents()
                store.write(INDEXER, meanwhile)
                assert reads(version) == alone
                assert view.version == version
                assert view.list_documents() == before

    def test_a_view_sees_what_was_there_when_it_began(self, store: Store) -> None:
        written(store, entry("a", "cat"))
        with store.view(ANN) as view, store.view(BOB):
            assert ids(stores.search_text(view, ["cat"])) == ["a#0"]
            with ThreadPoolExecutor(1) as thread:
                version = thread.submit(written, store, entry("b", "cat")).result()
                found = thread.submit(search_text, store, ANN, ["cat"]).result()
                assert ids(found) == ["a#0", "b#0"]
            assert ids(stores.search_text(view, ["cat"])) == ["a#0"]
            assert ids(search_text(store, ANN, ["cat"], at=version)) == ["a#0", "b#0"]
        assert ids(search_text(store, ANN, ["cat"])) == ["a#0", "b#0"]

    def test_a_view_that_has_ended_is_refused(self, store: Store) -> None:
        written(store, entry("a", "cat"))
        with store.view(ANN) as view:
            pass
        for read in (view.info, view.fingerprints, lambda: stores.search_text(view, ["cat"])):
            with pytest.raises(InputError, match=r"the view is closed.*with store\.view"):
                read()

    def test_what_is_raised_inside_a_view_is_raised_as_it_is(self, store: Store) -> None:
        written(store, entry("a", "cat"))
        for error in (OSError("my disk"), KeyboardInterrupt()):
            with pytest.raises(type(error)) as raised, store.view(ANN):
                raise error
            assert raised.value is error
        assert ids(search_text(store, ANN, ["cat"])) == ["a#0"]

    def test_a_repeated_search_sees_what_was_written_since(self, store: Store) -> None:
        written(store, *(entry(f"f{n}", "filler", vectors=[[0, 1]]) for n in range(5)))
        for number, expected in enumerate((["a0#0"], ["a0#0", "a1#0"], ["a0#0", "a1#0", "a2#0"])):
            version = written(store, entry(f"a{number}", "cat", vectors=[[1, 0]]))
            for at in (None, version):
                assert ids(search_text(store, ANN, ["cat"], at=at)) == expected
                assert ids(search_fuzzy(store, ANN, ["cat"], at=at)) == expected
                assert (
                    ids(search_vectors(store, ANN, query(1, 0), limit=number + 1, at=at))
                    == expected
                )
                assert seen(store, ANN, at=at).count_terms(["cat"]).found == {"cat": number + 1}
                assert len(text_scores(store, ANN, ["cat"], at=at)) == 6 + number
        assert ids(search_text(store, ANN, ["cat"], at=version - 1)) == expected[:2]

    @given(steps=st.lists(batches("a"), min_size=1, max_size=5))
    @several
    def test_a_store_with_a_past_answers_like_one_without(
        self, make_store: MakeStore, steps: list[Batch]
    ) -> None:
        with make_store() as lived, make_store() as fresh:
            for batch in steps:
                lived.write(ANN, batch)
            now = [
                (document, seen(lived, ANN).blocks_of([document.id]))
                for document in seen(lived, ANN).list_documents()
            ]
            vectors = {each.document.id: each.vectors for batch in steps for each in batch.put}
            for document, blocks in now:
                fresh.write(ANN, Batch(put=(Entry(document, blocks, vectors[document.id]),)))
            for old, new in zip(searches(lived), searches(fresh), strict=True):
                assert old() == new()

    def test_a_version_that_is_not_kept_is_refused(self, store: Store) -> None:
        version = written(store, entry("a", "x"))
        for at in (version + 1, -1, 10**30):
            with pytest.raises(
                VersionGoneError, match=f"found {at}.*Versions 0 to {version} are kept"
            ):
                search_text(store, ANN, ["x"], at=at)

    def test_searches_go_on_while_the_store_grows(self, store: Store) -> None:
        """Columns that one thread loaded of a new version are not used for another thread's older one."""
        written(
            store, *(entry(f"d{n}", *["cat dog"] * 20, vectors=[[1, n]] * 20) for n in range(9))
        )
        grown = Event()

        def grow() -> None:
            try:
                for number in range(60):
                    texts = [f"cat {number}"] * 30
                    written(store, entry(f"w{number}", *texts, vectors=[[1, number]] * 30))
            finally:
                grown.set()

        def search(seed: int) -> int:
            asked = 0
            while not grown.is_set():
                asked += 1
                wanted = query(seed, asked)
                filters = Filters(documents=frozenset({"d1", f"w{asked % 60}"}))
                with store.view(ANN) as view:
                    found = view.search(SearchRequest(terms=("cat",), vector=wanted, limit=10_000))
                    everything = [*range(len(found))]
                    assert found.by_text.tolist() == found.by_vector.tolist() == everything
                    assert len(found) == view.info().blocks
                    assert len(found.around([(found.by_text[:9], 2)]).found) == len(found)
                search_vectors(store, ANN, wanted, filters=filters, limit=5)
                search_text(store, ANN, ["dog"], filters=filters, limit=5)
            return asked

        interval = sys.getswitchinterval()
        sys.setswitchinterval(1e-5)
        try:
            with ThreadPoolExecutor(7) as threads:
                searches = [threads.submit(search, seed) for seed in range(1, 7)]
                threads.submit(grow).result()
                assert all(each.result() for each in searches)
        finally:
            sys.setswitchinterval(interval)

    def test_reads_and_writes_go_on_in_many_threads(self, store: Store) -> None:
        written(store, *(entry(f"d{n}", "cat dog", vectors=[[1, n]]) for n in range(20)))

        def write(number: int) -> int:
            return written(store, entry(f"w{number}", "cat", vectors=[[1, number]]))

        def read(number: int) -> int:
            version = seen(store, ANN).state.version
            found = len(search_text(store, ANN, ["cat"], limit=1000, at=version))
            assert found == len(search_vectors(store, ANN, query(1, 1), limit=1000, at=version))
            return found - version

        with ThreadPoolExecutor(8) as threads:
            versions = list(threads.map(write, range(12)))
            assert set(threads.map(read, range(40))) == {20 - 1}
        assert sorted(versions) == list(range(2, 14))
