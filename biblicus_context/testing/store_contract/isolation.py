"""No read and no write reveals or changes what the principal may not see."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import replace
from functools import partial
from typing import Any, TypeAlias

import pytest
from hypothesis import HealthCheck, given, settings, strategies as st

from biblicus_context.errors import ContextError, InputError
from biblicus_context.stores import (
    EVERYBODY,
    NOBODY,
    Batch,
    Document,
    Entry,
    Filters,
    Principal,
    Readers,
    Relation,
    Store,
    TermCounts,
    Vectors,
    WorkspaceState,
)
from biblicus_context.stores.filter_conditions import Equals
from biblicus_context.testing.store_contract.by_id import searched, text_scores, vector_scores
from biblicus_context.testing.store_samples import (
    ANN,
    BOB,
    INDEXER,
    MODEL,
    ONLY_BOB,
    STRANGER,
    block,
    blocks,
    day,
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

MakeStore: TypeAlias = Callable[[], AbstractContextManager[Store]]

DOCUMENTS = ["a", "b", "c", "d"]
HIDDEN = [f"hidden {each}" for each in DOCUMENTS]
BLOCKS = [f"{each}#{n}" for each in DOCUMENTS for n in range(3)]
WORDS = ["cat", "dog", "retrieval", "retreival", "x-ray", "ray"]

NOT_PRINCIPALS = [
    None, "acme", {"workspace": "acme"}, Principal, Principal(""), Principal(None),
    Principal("a\x00"), Principal("a\ud800"), Principal("acme", user=""), Principal("acme", user=7),
    Principal("acme", groups="hr"), Principal("acme", groups={7}),
]  # fmt: skip

Call: TypeAlias = Callable[[Store, Any], Any]


def _untimed(state: WorkspaceState) -> WorkspaceState:
    return replace(state, changed=None, remains_until=state.remains_until and day(1))


READS: dict[str, Call] = {
    "state": lambda store, who: _untimed(seen(store, who).state),
    "search_text": lambda store, who: search_text(store, who, WORDS),
    "search_fuzzy": lambda store, who: search_fuzzy(store, who, WORDS),
    "search_vectors": lambda store, who: search_vectors(store, who, query(1, 1)),
    "model of others": lambda store, who: search_vectors(
        store, who, Vectors.of("b's", [[1, 2, 3]])
    ),
    "score_text": lambda store, who: text_scores(store, who, WORDS),
    "score_vectors": lambda store, who: vector_scores(store, who, query(1, 1)),
    "both": lambda store, who: searched(store, who, words=tuple(WORDS), vector=query(1, 1)),
    "best of both": lambda store, who: searched(
        store, who, terms=tuple(WORDS), vector=query(1, 1), limit=2
    ),
    "both by a model of others": lambda store, who: searched(
        store, who, terms=tuple(WORDS), vector=Vectors.of("b's", [[1, 2]])
    ),
    "recent": lambda store, who: seen(store, who).recent(),
    "blocks": lambda store, who: blocks(store, who, BLOCKS),
    "documents": lambda store, who: seen(store, who).documents(DOCUMENTS),
    "blocks_of": lambda store, who: [seen(store, who).blocks_of([each]) for each in DOCUMENTS],
    "places_of": lambda store, who: seen(store, who).places_of(DOCUMENTS, most=2),
    "lineage": lambda store, who: seen(store, who).tree(DOCUMENTS, up=50).above,
    "children": lambda store, who: seen(store, who).tree([*DOCUMENTS, *HIDDEN], down=100).below,
    "siblings": lambda store, who: seen(store, who).tree(DOCUMENTS, across=2).siblings,
    "list_documents": lambda store, who: seen(store, who).list_documents(),
    "nearby": lambda store, who: seen(store, who).nearby(BLOCKS),
    "related": lambda store, who: [
        related_documents(store, who, each, direction="both", depth=4) for each in DOCUMENTS
    ],
    "relations": lambda store, who: seen(store, who).relations(DOCUMENTS),
    "usage": lambda store, who: seen(store, who).usage(BLOCKS),
    "activity": lambda store, who: seen(store, who).activity(),
    "activity of some": lambda store, who: seen(store, who).activity(documents=DOCUMENTS[:2]),
    "count_terms": lambda store, who: seen(store, who).count_terms(WORDS),
    "vectors": lambda store, who: seen(store, who).vectors(MODEL, BLOCKS),
    "known_vectors": lambda store, who: seen(store, who).known_vectors(MODEL, WORDS),
    "fingerprints": lambda store, who: seen(store, who).fingerprints(),
    "info": lambda store, who: seen(store, who).info(),
    "a page": lambda store, who: search_text(store, who, WORDS, limit=2, offset=1),
    "every version": lambda store, who: [
        outcome(partial(search_text, store, who, WORDS, at=version)) for version in range(8)
    ],
    "filtered": lambda store, who: search_text(
        store, who, WORDS, filters=Filters(metadata=(Equals("owner", "b"),))
    ),
    "best one": lambda store, who: search_text(store, who, WORDS, limit=1),
    "nearest one": lambda store, who: search_vectors(store, who, query(1, 1), limit=1),
    "second nearest": lambda store, who: search_vectors(store, who, query(1, 1), limit=1, offset=1),
    "page of documents": lambda store, who: seen(store, who).list_documents(after="a", limit=1),
}
REMEMBERED = ["search_text", "search_fuzzy", "search_vectors", "count_terms", "score_text", "info"]
"""Reads that a store may cache; the next user may see less."""
WRITES: dict[str, Call] = {
    "write": lambda store, who: store.write(who, Batch()),
    "record_use": lambda store, who: store.record_usage(who, used=BLOCKS, when=day(1)),
    "record_feedback": lambda store, who: store.record_usage(who, helpful=BLOCKS),
    "record_activity": lambda store, who: store.record_activity(who, DOCUMENTS[0], "view", day(2)),
    "record_source": lambda store, who: store.record_source(who, "notes"),
    "record_filling": lambda store, who: store.record_filling(who, finished=False),
    "prepare": lambda store, who: store.prepare(who),
    "clear": lambda store, who: store.clear(who),
}
TIMES: dict[str, Call] = {"changed": lambda store, who: seen(store, who).state.changed}
"""Reads that differ from one run to the next."""


def outcome(call: Callable[[], object]) -> object:
    """The result of a call, or its error as text."""
    try:
        return call()
    except ContextError as error:
        return f"{type(error).__name__}: {error}"


def observed(store: Store, who: Principal) -> dict[str, object]:
    """The results of all reads as this principal."""
    return {name: outcome(partial(read, store, who)) for name, read in READS.items()}


texts = st.lists(st.sampled_from([*WORDS, "of", "the"]), max_size=5).map(" ".join)
rows = st.lists(st.integers(-3, 3).map(float), min_size=2, max_size=2)


@st.composite
def entries(draw: st.DrawFn, owner: str) -> Entry:
    """A document with up to three blocks, whose id others may use as well."""
    id_ = draw(st.sampled_from(DOCUMENTS))
    found = draw(st.lists(st.tuples(texts, rows), max_size=3))
    blocks = tuple(block(id_, n, text) for n, (text, _) in enumerate(found))
    vectors = tuple(
        Vectors.of(model, [row for _, row in found], [text or "-" for text, _ in found])
        for model in (MODEL, f"{owner}'s")
    )
    document = Document(
        id=id_,
        title=draw(texts),
        text_hash=owner,
        created=draw(st.none() | st.integers(1, 28).map(day)),
        parent=draw(st.none() | st.sampled_from([*DOCUMENTS, *HIDDEN])),
        position=draw(st.none() | st.integers(0, 2)),
        metadata={"owner": owner},
    )
    return Entry(document, blocks, vectors if blocks else ())


@st.composite
def batches(draw: st.DrawFn, owner: str) -> Batch:
    """A batch with documents, a removal and relations."""
    arrows = st.builds(
        Relation, st.sampled_from(DOCUMENTS), st.sampled_from(DOCUMENTS), st.just("cites")
    )
    return Batch(
        put=tuple(
            draw(st.lists(entries(owner), max_size=3, unique_by=lambda each: each.document.id))
        ),
        remove=tuple(draw(st.lists(st.sampled_from(DOCUMENTS), max_size=1))),
        relate=tuple(draw(st.lists(arrows, max_size=2))),
        unrelate=tuple(draw(st.lists(arrows, max_size=1))),
    )


several = settings(max_examples=15, deadline=None, suppress_health_check=list(HealthCheck))


class IsolationContract:
    """A part of StoreContract, which describes the fixtures."""

    @pytest.mark.parametrize("call", [*READS, *WRITES, *TIMES])
    def test_nothing_is_done_without_a_principal(self, store: Store, call: str) -> None:
        act = {**READS, **WRITES, **TIMES}[call]
        for nobody in NOT_PRINCIPALS:
            if call == "every version":
                assert all(str(each).startswith("InputError") for each in act(store, nobody))
                continue
            with pytest.raises(InputError):
                act(store, nobody)

    @given(
        steps=st.lists(
            st.tuples(st.just(ANN), batches("a")) | st.tuples(st.just(STRANGER), batches("b")),
            min_size=1,
            max_size=6,
        )
    )
    @several
    def test_results_of_one_tenant_do_not_depend_on_another(
        self, make_store: MakeStore, steps: list[tuple[Principal, Batch]]
    ) -> None:
        with make_store() as shared, make_store() as alone:
            for who, batch in steps:
                result = outcome(partial(shared.write, who, batch))
                if who is ANN:
                    assert result == outcome(partial(alone.write, who, batch))
                    shared.record_usage(ANN, used=BLOCKS[:2], when=day(1))
                    alone.record_usage(ANN, used=BLOCKS[:2], when=day(1))
                else:
                    shared.record_usage(STRANGER, unhelpful=BLOCKS)
                assert observed(shared, ANN) == observed(alone, ANN)
            shared.vacuum()
            assert search_text(shared, ANN, WORDS) == search_text(alone, ANN, WORDS)

    @given(
        steps=st.lists(st.tuples(batches("a"), batches("b")), min_size=1, max_size=4),
        readers=st.sampled_from(
            [Readers(users=frozenset({"bob"})), Readers(groups=frozenset({"ann", "staff"}))]
        ),
    )
    @several
    def test_results_of_a_reader_do_not_depend_on_hidden_documents(
        self, make_store: MakeStore, steps: list[tuple[Batch, Batch]], readers: Readers
    ) -> None:
        with make_store() as full, make_store() as bare:
            for open_, secret in steps:
                for store in (full, bare):
                    store.write(ANN, open_)
                full.write(Principal("acme", sees_all=True), hidden(secret, readers))
                bare.write(Principal("acme", sees_all=True), Batch())
                for name in REMEMBERED:
                    READS[name](full, Principal("acme", sees_all=True))
                assert observed(full, ANN) == observed(bare, ANN)

    def test_a_search_of_a_user_who_sees_more_reveals_nothing_to_a_reader(
        self, store: Store
    ) -> None:
        secret = entry("secret", "tea tea", readers=ONLY_BOB)
        written(store, entry("a", "tea time"), entry("b", "milk"), secret)
        for who, holding in ((INDEXER, 2), (ANN, 1), (INDEXER, 2)):
            assert len(search_text(store, who, ["tea"])) == holding
            assert seen(store, who).count_terms(["tea"]) == TermCounts(
                holding + 1, {"tea": holding}
            )

    def test_collections_of_a_workspace_know_nothing_of_each_other(self, store: Store) -> None:
        """Not their ids, versions, words or counts; nor does clearing one touch another."""
        tea, coffee = store.collection("tea"), store.collection("coffee")
        written(tea, entry("a", "green tea", vectors=[[1, 0]]))
        written(coffee, entry("a", "black coffee", vectors=[[1, 2, 3]]))
        written(coffee, entry("b", "tea room"))
        written(store, entry("c", "tea tea"))
        assert [seen(each, ANN).version for each in (store, tea, coffee)] == [1, 1, 2]
        assert ids(search_text(tea, ANN, ["tea"])) == ["a#0"]
        assert ids(search_text(coffee, ANN, ["tea"])) == ["b#0"]
        assert ids(search_text(store, ANN, ["tea"])) == ["c#0"]
        assert ids(search_text(store.collection("tea"), ANN, ["tea"])) == ["a#0"]
        assert seen(tea, ANN).count_terms(["tea"]) == TermCounts(1, {"tea": 1})
        tea.record_usage(ANN, used=["a#0"], when=day(1))
        assert seen(coffee, ANN).usage(["a#0"]) == {}
        tea.clear(INDEXER)
        assert search_text(tea, ANN, ["tea"]) == ()
        assert ids(search_text(coffee, ANN, ["tea"])) == ["b#0"]
        assert store.check() == ()

    @pytest.mark.parametrize("name", ["", "a\x00b", None, 7])
    def test_a_collection_has_a_name(self, store: Store, name: Any) -> None:
        with pytest.raises(InputError, match="collection: "):
            store.collection(name)

    def test_users_and_groups_of_one_name_are_not_the_same(self, store: Store) -> None:
        for_group = Entry(Document(id="g", readers=Readers(groups=frozenset({"bob"}))), ())
        for_user = Entry(Document(id="u", readers=Readers(users=frozenset({"hr"}))), ())
        store.write(Principal("acme", sees_all=True), Batch(put=(for_group, for_user)))
        assert seen(store, BOB).list_documents() == seen(store, ANN).list_documents() == ()
        member = Principal("acme", user="eve", groups={"bob"})
        assert [each.id for each in seen(store, member).list_documents()] == ["g"]
        assert [each.id for each in seen(store, Principal("acme", user="hr")).list_documents()] == [
            "u"
        ]
        assert seen(store, Principal("acme")).list_documents() == ()

    def test_a_document_without_readers_of_its_own_may_be_closed_to_everybody(
        self, store: Store
    ) -> None:
        written(store, entry("a", "tea", readers=NOBODY), entry("b", "tea", readers=EVERYBODY))
        assert [each.id for each in seen(store, ANN).list_documents()] == ["b"]
        assert [each.readers for each in seen(store, INDEXER).documents(["a", "b"])] == [
            NOBODY,
            EVERYBODY,
        ]

    @pytest.mark.parametrize("after", ["restricted", "removed", "put again", "public again"])
    def test_what_may_not_be_read_now_is_not_read_in_older_versions(
        self, store: Store, after: str
    ) -> None:
        """Whatever became of the document since it was hidden: removed, or another one by its id."""
        at = written(store, entry("a", "tea time", vectors=[[1, 0]]), entry("b", "tea", "more"))
        assert len(search_text(store, ANN, ["tea"])) == 2  # remembered of this version
        assert seen(store, ANN, at=at).hidden == at
        written(store, entry("c", "tea", readers=ONLY_BOB), entry("b", "milk"))
        assert seen(store, ANN, at=at).hidden == at
        hid = written(store, entry("a", "tea time", readers=ONLY_BOB))
        if after != "restricted":
            store.write(INDEXER, Batch(remove=("a",)))
        if after in ("put again", "public again"):
            written(store, entry("a", "tea time"))
        assert (seen(store, ANN, at=at).hidden, seen(store, INDEXER, at=at).hidden) == (hid, at)
        assert seen(store, BOB, at=at).hidden == at
        assert ids(search_text(store, ANN, ["tea"], at=at)) == ["b#0"]
        assert seen(store, ANN, at=at).count_terms(["tea"]) == TermCounts(2, {"tea": 1})
        assert seen(store, ANN, at=at).info().documents == 1
        assert blocks(store, ANN, ["a#0"], at=at) == seen(store, ANN, at=at).documents(["a"]) == ()
        assert (
            seen(store, ANN, at=at).blocks_of(["a"])
            == seen(store, ANN, at=at).places_of(["a"])
            == ()
        )
        assert [each.id for each in seen(store, ANN, at=at).list_documents()] == ["b"]
        assert not seen(store, ANN, at=at).vectors("tiny", ["a#0"])
        assert len(search_text(store, BOB, ["tea"], at=at)) == 2
        assert len(search_text(store, INDEXER, ["tea"], at=at)) == 2

    def test_a_title_that_was_taken_away_is_not_read_in_older_versions(self, store: Store) -> None:
        """In a tree, a document may have the title of a page, and be moved out before it is hidden."""
        inside = {"parent": "p", "own_readers": False}
        at = written(
            store,
            entry("p", "tea", title="Merger", own_readers=False),
            entry("a", "tea", title="Merger", **inside),
            entry("b", "tea", title="Plan", **inside),
        )
        written(store, entry("a", "tea", own_readers=False))
        assert [each.id for each in seen(store, ANN, at=at).list_documents()] == ["a", "b", "p"]
        written(store, entry("p", "tea", title="Merger", readers=ONLY_BOB, own_readers=True))
        assert [each.id for each in seen(store, ANN, at=at).list_documents()] == ["b"]
        assert ids(search_text(store, ANN, ["merger"], at=at)) == []


def hidden(batch: Batch, readers: Readers) -> Batch:
    """The documents of a batch under ids of their own, for these readers only."""

    def renamed(entry: Entry) -> Entry:
        id_ = f"hidden {entry.document.id}"
        blocks = tuple(
            replace(each, id=f"hidden {each.id}", document_id=id_) for each in entry.blocks or ()
        )
        return Entry(replace(entry.document, id=id_, readers=readers), blocks, entry.vectors)

    relations = tuple(
        relation
        for each in batch.put
        for relation in (
            Relation("a", f"hidden {each.document.id}", "cites"),
            Relation(f"hidden {each.document.id}", "b", "cites"),
        )
    )
    gone = tuple(f"hidden {each}" for each in batch.remove)
    ended = tuple(replace(each, target=f"hidden {each.target}") for each in batch.unrelate)
    put = tuple(renamed(each) for each in batch.put if each.document.id not in batch.remove)
    return Batch(put=put, remove=gone, relate=relations, unrelate=ended)
