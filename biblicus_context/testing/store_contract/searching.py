"""Blocks are found by words, misspelt words, embeddings, time and place."""

from __future__ import annotations

import math
import operator
from dataclasses import replace

import pytest
from hypothesis import HealthCheck, given, settings, strategies as st

from biblicus_context.errors import InputError
from biblicus_context.stores import (
    Batch,
    Bm25,
    Document,
    Entry,
    Filters,
    Related,
    Relation,
    Store,
    Vectors,
)
from biblicus_context.testing.store_contract.by_id import text_scores
from biblicus_context.testing.store_samples import (
    ANN,
    BOB,
    INDEXER,
    MODEL,
    ONLY_BOB,
    block,
    blocks,
    day,
    entry,
    ids,
    put,
    query,
    relate,
    related_documents,
    search_fuzzy,
    search_text,
    search_vectors,
    seen,
    written,
)

HOSTILE_TERMS = [
    "don't", '"', '""', "'", "''; DROP TABLE blocks; --", "cat OR dog", "NEAR(cat dog)", "cat*",
    "text:cat", "-cat", "(", ")", "^cat", "{text} : cat", "cat + dog", "\x00", "ca\x00t", "\ud800",
    "cat\udfff", "", " ", "\u200b", "%", "_", "\\", "a" * 100_000, "é" * 50_000, "\U0001f600",
    "NOT", "AND", "OR", "NULL", "?1", ":at", "$1", "\n", "\r\n", "٣", "ﬁ", "İ", "ß", "c++", "#",
]  # fmt: skip


class SearchContract:
    """A part of StoreContract, which describes the fixtures."""

    def test_any_of_the_terms_is_enough_and_more_are_better(self, store: Store) -> None:
        fillers = [entry(f"f{n}", "filler text") for n in range(6)]
        written(
            store, entry("a", "cats and dogs"), entry("b", "a cat"), entry("c", "birds"), *fillers
        )
        assert ids(search_text(store, ANN, ["cat", "dog"])) == ["a#0", "b#0"]
        assert search_text(store, ANN, []) == search_text(store, ANN, ["zebra"]) == ()

    def test_words_are_found_in_every_form_and_whatever_their_accents(self, store: Store) -> None:
        written(store, entry("a", "Running cafés"), entry("b", "other"), entry("c", "things"))
        for term in ("run", "RUNS", "running", "cafe", "café", "CAFÉS"):
            assert ids(search_text(store, ANN, [term])) == ["a#0"], term

    def test_a_repeated_term_counts_twice(self, store: Store) -> None:
        fillers = [entry(f"f{n}", "filler text") for n in range(6)]
        written(store, entry("a", "cat"), entry("b", "dog"), *fillers)
        once, twice = (
            search_text(store, ANN, ["cat"])[0],
            search_text(store, ANN, ["cat", "cat"])[0],
        )
        assert twice.score == 2 * once.score
        assert ids(search_text(store, ANN, ["cat", "dog", "dog"])) == ["b#0", "a#0"]

    def test_the_order_of_terms_does_not_matter(self, store: Store) -> None:
        written(store, entry("a", "red green blue"), entry("b", "green blue"), entry("c", "x"))
        terms = ["red", "blue", "green", "blue"]
        assert search_text(store, ANN, terms) == search_text(store, ANN, terms[::-1])

    def test_a_term_of_several_words_is_a_phrase(self, store: Store) -> None:
        fillers = [entry(f"f{n}", "filler") for n in range(6)]
        written(
            store,
            entry("a", "an x-ray picture"),
            entry("b", "ray x"),
            entry("c", "x y ray"),
            *fillers,
        )
        assert ids(search_text(store, ANN, ["x-ray"])) == ["a#0"]
        assert ids(search_text(store, ANN, ["X Ray"])) == ["a#0"]

    def test_title_and_headings_are_searched_with_a_weight_of_their_own(self, store: Store) -> None:
        headed = Entry(Document(id="h"), (block("h", 0, "body", heading=("Vacation", "Rules")),))
        fillers = [entry(f"f{n}", "filler") for n in range(6)]
        written(
            store, headed, entry("t", "body", title="Vacation"), entry("x", "vacation"), *fillers
        )
        assert set(ids(search_text(store, ANN, ["vacation"]))) == {"h#0", "t#0", "x#0"}
        weights = Bm25(heading=3.0)
        assert ids(search_text(store, ANN, ["vacation"], weights=weights))[-1] == "x#0"
        assert ids(search_text(store, ANN, ["vacation"], weights=Bm25(heading=0.0))) == ["x#0"]
        assert ids(search_text(store, ANN, ["rules"])) == ["h#0"]

    def test_the_indexed_text_is_searched_instead_of_the_text(self, store: Store) -> None:
        turn = block("a", 0, "Yes.", indexed_text="ann, monday: yes to the budget")
        written(store, Entry(Document(id="a"), (turn,)), entry("b", "other"), entry("c", "thing"))
        assert ids(search_text(store, ANN, ["budget"])) == ["a#0"]
        hidden = replace(turn, indexed_text="")
        written(store, Entry(Document(id="a"), (hidden,)))
        assert search_text(store, ANN, ["yes"]) == ()
        assert seen(store, ANN).blocks_of(["a"])[0].text == "Yes."

    def test_equal_scores_come_in_the_order_of_ids(self, store: Store) -> None:
        names = ["e", "d", "c", "b", "a"]
        written(store, *(entry(each, "same words", vectors=[[1, 0]]) for each in names))
        wanted = ["a#0", "b#0", "c#0"]
        assert ids(search_text(store, ANN, ["words"], limit=3)) == wanted
        assert ids(search_vectors(store, ANN, query(1, 0), limit=3)) == wanted
        assert ids(search_fuzzy(store, ANN, ["words"], limit=3)) == wanted

    @pytest.mark.parametrize("term", HOSTILE_TERMS, ids=lambda term: repr(term[:12]))
    def test_a_term_is_never_syntax(self, store: Store, term: str) -> None:
        fillers = [entry(f"f{n}", "filler") for n in range(6)]
        written(store, entry("a", "the cat"), entry("b", "a dog"), *fillers)
        for search in (search_text, search_fuzzy):
            found = ids(search(store, ANN, [term, "dog"]))
            assert "b#0" in found
            assert not any(each.startswith("f") for each in found)
        assert text_scores(store, ANN, [term])["f1#0"] == 0.0

    def test_terms_are_counted_in_the_blocks_that_can_be_seen(self, store: Store) -> None:
        written(
            store, entry("a", "cats, a cat", "dog", title="Pets"), entry("b", "an x-ray of a cat")
        )
        written(store, entry("c", "cat", readers=ONLY_BOB))
        counts = seen(store, ANN).count_terms(
            ["cat", "cats", "pets", "x-ray", "bird", "...", "\ud800"]
        )
        assert counts.blocks == 3
        assert [*counts.found.values()] == [2, 2, 2, 1, 0, 0, 0]

    def test_embeddings_are_read_by_the_ids_of_their_blocks(self, store: Store) -> None:
        written(store, entry("a", "x", "y", vectors=[[1, 2], [3, 4]]), entry("b", "x"))
        version = written(store, entry("c", "x", readers=ONLY_BOB, vectors=[[5, 6]]))
        rows = Vectors.of(MODEL, [[1, 2], [3, 4]])
        found = seen(store, ANN).vectors(MODEL, ["a#1", "b#0", "c#0", "a#0", "nowhere"])
        assert found == {"a#0": rows.row(0), "a#1": rows.row(1)}
        assert seen(store, ANN).vectors("unknown", ["a#0"]) == {}
        written(store, entry("a", "x", vectors=[[7, 8]]))
        assert seen(store, ANN, at=version).vectors(MODEL, ["a#0"]) == {"a#0": rows.row(0)}

    def test_a_misspelt_word_finds_the_right_one(self, store: Store) -> None:
        fillers = [entry(f"f{n}", "filler text") for n in range(6)]
        written(store, entry("a", "document retrieval"), entry("b", "a golden retriever"), *fillers)
        for slip in ("retreival", "retrieva", "rertieval", "retrieval"):
            assert "a#0" in ids(search_fuzzy(store, ANN, [slip])), slip
        assert search_text(store, ANN, ["retreival"]) == ()
        assert search_fuzzy(store, ANN, ["zzzzz"]) == ()
        assert search_fuzzy(store, ANN, ["retreival"], similarity=1.0) == ()

    def test_without_similar_words_a_fuzzy_search_equals_the_exact_one(self, store: Store) -> None:
        written(store, entry("a", "cats chase birds"), entry("b", "dogs sleep"), entry("c", "rain"))
        exact = search_text(store, ANN, ["cats", "sleep"])
        fuzzy = search_fuzzy(store, ANN, ["cats", "sleep"])
        assert [(hit.place, hit.score) for hit in fuzzy] == [
            (hit.place, hit.score) for hit in exact
        ]
        assert {hit.search for hit in fuzzy} == {"fuzzy"}

    def test_the_exact_spelling_counts_more(self, store: Store) -> None:
        fillers = [entry(f"f{n}", "filler") for n in range(9)]
        written(store, entry("right", "colour"), entry("wrong", "color"), *fillers)
        assert ids(search_fuzzy(store, ANN, ["colour"])) == ["right#0", "wrong#0"]
        assert ids(search_fuzzy(store, ANN, ["color"])) == ["wrong#0", "right#0"]

    def test_embeddings_are_ranked_by_cosine_and_need_not_be_unit(self, store: Store) -> None:
        rows = [[1, 0], [10, 10], [0, 0.1], [-1, 0], [0, 0]]
        written(store, entry("a", *"abcde", vectors=rows), entry("b", "no embedding"))
        hits = search_vectors(store, ANN, query(5, 0))
        assert ids(hits) == ["a#0", "a#1", "a#2", "a#4", "a#3"]
        assert [round(hit.score, 6) for hit in hits] == [1.0, 0.707107, 0.0, 0.0, -1.0]
        assert search_vectors(store, ANN, Vectors.of("unknown", [[1.0]])) == ()

    @given(
        rows=st.lists(
            st.lists(st.floats(-100, 100, width=32), min_size=3, max_size=3),
            min_size=1,
            max_size=12,
        ),
        wanted=st.lists(st.floats(-100, 100, width=32), min_size=3, max_size=3),
    )
    @settings(max_examples=15, suppress_health_check=list(HealthCheck))
    def test_cosines_are_those_of_arithmetic(
        self, store: Store, rows: list[list[float]], wanted: list[float]
    ) -> None:
        written(store, entry("a", *("x" for _ in rows), vectors=rows))
        for hit in search_vectors(store, ANN, query(*wanted)):
            row = rows[hit.place.position]
            lengths = math.hypot(*row) * math.hypot(*wanted)
            cosine = sum(map(operator.mul, row, wanted)) / lengths if lengths else 0.0
            assert hit.score == pytest.approx(cosine, abs=1e-4)

    @pytest.mark.parametrize(
        ("call", "message"),
        [
            (lambda store: search_text(store, ANN, "cat"), "terms: .*Use a list"),
            (lambda store: search_text(store, ANN, [1]), "terms: this must be text"),
            (lambda store: search_text(store, ANN, ["x"], limit=-1), "limit: a whole number"),
            (lambda store: search_text(store, ANN, ["x"], offset=1.0), "offset: a whole number"),
            (lambda store: search_text(store, ANN, ["x"], filters={"kind": "a"}), "Filters.parse"),
            (
                lambda store: search_text(store, ANN, ["x"], weights=Bm25(k1=-1)),
                "weights.k1: must not be below zero",
            ),
            (
                lambda store: search_text(store, ANN, ["x"], weights=Bm25(b=2)),
                "weights.b: must be up to 1",
            ),
            (lambda store: search_text(store, ANN, ["x"], at="1"), "at: a version is a number"),
            (
                lambda store: search_fuzzy(store, ANN, ["x"], similarity=0),
                "similarity: must be above 0",
            ),
            (
                lambda store: search_vectors(store, ANN, Vectors.of(MODEL, [])),
                "query: exactly one embedd",
            ),
            (lambda store: search_vectors(store, ANN, query(float("nan"))), "finite numbers"),
            (
                lambda store: search_vectors(store, ANN, Vectors(MODEL, 2, b"1" * 9)),
                "one embedding",
            ),
            (
                lambda store: search_vectors(store, ANN, Vectors.of("m\ud800", [[1.0]])),
                "query.model",
            ),
            (lambda store: seen(store, ANN).known_vectors("", ["k"]), "model: a name"),
            (lambda store: seen(store, ANN).vectors("m\x00", ["a"]), "model: a name"),
            (lambda store: blocks(store, ANN, "a#0"), "ids: .*Use a list"),
            (lambda store: seen(store, ANN).nearby(["a"], reach=-1), "reach: a whole number"),
            (
                lambda store: related_documents(store, ANN, "a", direction="up"),
                "Valid: out, in, both",
            ),
            (
                lambda store: related_documents(store, ANN, "a", types="cites"),
                "types: .*Use a list",
            ),
            (lambda store: store.record_usage(ANN, used=["a"]), "when: used blocks need the time"),
            (
                lambda store: store.record_usage(ANN, used=["a"], when=day(1).replace(tzinfo=None)),
                "when",
            ),
            (lambda store: seen(store, ANN).list_documents(after=""), "after: a name"),
        ],
    )
    def test_an_invalid_argument_is_refused(self, store, call, message) -> None:  # type: ignore[no-untyped-def] # every kind of mistake
        with pytest.raises(InputError, match=message):
            call(store)

    def test_recent_blocks_are_those_of_the_documents_changed_last(self, store: Store) -> None:
        written(
            store,
            entry("old", "x", created=day(1)),
            entry("new", "x", "y", created=day(3)),
            entry("changed", "x", created=day(1), updated=day(2)),
            entry("undated", "x"),
        )
        hits = seen(store, ANN).recent()
        assert ids(hits) == ["new#1", "new#0", "changed#0", "old#0"]
        assert hits[0].score == day(3).timestamp()
        assert ids(seen(store, ANN).recent(limit=2, offset=1)) == ["new#0", "changed#0"]
        assert ids(seen(store, ANN).recent(filters=Filters(documents=frozenset({"old"})))) == [
            "old#0"
        ]

    def test_places_around_many_blocks_are_found_at_once(self, store: Store) -> None:
        written(store, entry("a", *"uvwxyz"), entry("b", "x"))
        near = seen(store, ANN).nearby(["a#3", "b#0", "a#0", "nowhere"], reach=2)
        assert [(each.of, each.place.block_id, each.distance) for each in near] == [
            ("a#3", "a#1", -2), ("a#3", "a#2", -1), ("a#3", "a#4", 1), ("a#3", "a#5", 2),
            ("a#0", "a#1", 1), ("a#0", "a#2", 2),
        ]  # fmt: skip
        assert seen(store, ANN).nearby(["a#0"], reach=0) == ()
        turns = tuple(block("s", n, "x", session=f"{n // 2}") for n in range(4))
        written(store, Entry(Document(id="s"), turns))
        near = seen(store, ANN).nearby(["s#1"], reach=3)
        assert [(each.place.block_id, each.place.session) for each in near] == [("s#0", "0")]

    def test_relations_are_followed_by_type_direction_and_depth(self, store: Store) -> None:
        written(store, *(entry(each, "x") for each in "abcde"))
        store.write(ANN, relate(("a", "cites", "b"), ("b", "cites", "c"), ("d", "cites", "a")))
        store.write(
            ANN, Batch(relate=(Relation("a", "e", "near", 5.0), Relation("c", "a", "near")))
        )

        def reached(**way: object) -> list[tuple[str, int]]:
            return [
                (each.document_id, each.depth) for each in related_documents(store, ANN, "a", **way)
            ]  # type: ignore[arg-type]

        assert reached() == [("e", 1), ("b", 1)]
        assert reached(depth=9) == [("e", 1), ("b", 1), ("c", 2)]
        assert reached(types=["cites"], depth=2) == [("b", 1), ("c", 2)]
        assert reached(direction="in") == [("c", 1), ("d", 1)]
        assert reached(direction="both", limit=3) == [("e", 1), ("b", 1), ("c", 1)]
        assert related_documents(store, ANN, "nowhere") == ()

    def test_a_relation_is_written_again_taken_back_and_goes_with_its_document(
        self, store: Store
    ) -> None:
        written(store, entry("a", "x"), entry("b", "x"))
        store.write(ANN, relate(("a", "cites", "b")))
        store.write(ANN, Batch(relate=(Relation("a", "b", "cites", 2.0),)))
        assert related_documents(store, ANN, "a") == (
            Related("b", Relation("a", "b", "cites", 2.0), 1),
        )
        written(store, entry("b", "new text"))
        assert len(related_documents(store, ANN, "a")) == 1
        store.write(ANN, Batch(unrelate=(Relation("a", "b", "cites"),)))
        assert related_documents(store, ANN, "a") == ()
        store.write(ANN, relate(("a", "cites", "b")))
        store.write(ANN, Batch(remove=("b",)))
        written(store, entry("b", "again"))
        assert related_documents(store, ANN, "a") == ()

    def test_all_relations_from_documents_are_listed_whatever_their_type(
        self, store: Store
    ) -> None:
        written(store, *(entry(each, "x") for each in "abc"), entry("z", "x", readers=ONLY_BOB))
        arrows = (Relation("a", "c", "t"), Relation("a", "b", "u", 0.5), Relation("a", "b", "t"))
        hidden = (Relation("a", "z", "t"), Relation("z", "a", "t"))
        back = Relation("b", "a", "t")
        version = store.write(INDEXER, Batch(relate=(*arrows, *hidden, back)))
        store.write(INDEXER, Batch(unrelate=(back,)))
        assert seen(store, ANN).relations(["a"]) == arrows[::-1]
        assert seen(store, ANN, at=version).relations(["b", "a"]) == (*arrows[::-1], back)
        assert seen(store, ANN).relations(["z", "nowhere"]) == ()
        assert seen(store, BOB).relations(["z"]) == (hidden[1],)

    def test_a_path_never_leads_through_a_hidden_document(self, store: Store) -> None:
        written(store, entry("a", "x"), entry("b", "x", readers=ONLY_BOB), entry("c", "x"))
        store.write(INDEXER, relate(("a", "t", "b"), ("b", "t", "c")))
        assert related_documents(store, ANN, "a", depth=3) == ()
        assert [each.document_id for each in related_documents(store, BOB, "a", depth=3)] == [
            "b",
            "c",
        ]
        assert related_documents(store, ANN, "b", direction="both") == ()

    def test_documents_are_listed_in_the_order_of_ids(self, store: Store) -> None:
        written(
            store, *(entry(each, "x", kind="odd" if each in "ace" else "even") for each in "ecabd")
        )
        assert [each.id for each in seen(store, ANN).list_documents(limit=2)] == ["a", "b"]
        assert [each.id for each in seen(store, ANN).list_documents(after="b", limit=2)] == [
            "c",
            "d",
        ]
        odd = Filters(kinds=frozenset({"odd"}))
        assert [each.id for each in seen(store, ANN).list_documents(filters=odd, after="a")] == [
            "c",
            "e",
        ]
        assert seen(store, ANN).list_documents(limit=0) == ()
        assert search_text(store, ANN, ["x"], limit=0) == ()

    def test_put_keeps_no_reference_to_what_it_was_given(self, store: Store) -> None:
        metadata = {"list": [1]}
        store.write(ANN, put(entry("a", "x", metadata=metadata)))
        metadata["list"].append(2)
        assert seen(store, ANN).documents(["a"])[0].metadata == {"list": [1]}
