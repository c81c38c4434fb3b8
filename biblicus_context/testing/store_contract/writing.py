"""What is written to a store is read from it, whole batches at a time."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta, timezone

import pytest

from biblicus_context.errors import InputError
from biblicus_context.stores import (
    Batch,
    Document,
    Entry,
    Filters,
    Readers,
    Relation,
    Store,
    Usage,
    VectorCount,
    Vectors,
    VersionConflictError,
)
from biblicus_context.testing.store_contract.by_id import text_scores, vector_scores
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

LONG = "x" * 1001
HALF = "a\ud800"


def of_a(*blocks: object, vectors: tuple[Vectors, ...] = ()) -> Batch:
    """A batch with one document of these blocks."""
    return put(Entry(Document(id="a"), blocks, vectors))


MISTAKES: dict[str, tuple[Batch, str]] = {
    "no id": (put(entry("")), r"put\[0\].document.id: a name must be text that is not empty"),
    "long id": (put(entry(LONG)), "longer than 1,000 characters"),
    "NUL in an id": (put(entry("a\x00")), "must not contain NUL"),
    "half a character in an id": (put(entry(HALF)), "half of a surrogate pair"),
    "document twice": (put(entry("a"), entry("a")), "the document appears twice: found 'a'"),
    "block twice": (
        of_a(block("a", 0, "x"), block("a", 1, "y", id="a#0")),
        "the block appears twice",
    ),
    "block of another document": (
        of_a(block("b", 0, "y")),
        "the block belongs to another document",
    ),
    "position": (
        of_a(block("a", -1, "y")),
        r"put\[0\].blocks\[0\].position: a whole number from 0 on is expected: found -1",
    ),
    "tokens": (
        of_a(block("a", 0, "y"), block("a", 1, "y", tokens=1.5)),
        r"put\[0\].blocks\[1\].tokens: a whole number",
    ),
    "huge number": (of_a(block("a", 2**63, "y")), "position: a whole number"),
    "line 0": (of_a(block("a", 0, "y", lines=(0, 1))), "lines: a whole number from 1 on"),
    "lines backwards": (of_a(block("a", 0, "y", lines=(2, 1))), "from 2 on is expected: found 1"),
    "one line": (of_a(block("a", 0, "y", lines=(2,))), "two lines are expected"),
    "heading as text": (of_a(block("a", 0, "y", heading="Top")), "heading: .*Use a list"),
    "metadata as list": (of_a(block("a", 0, "y", metadata=[1])), r"\[0\].metadata: a mapping"),
    "metadata of a block": (
        of_a(block("a", 0, "y", metadata={"x": b""})),
        r"put\[0\].blocks\[0\].metadata: cannot be written as JSON",
    ),
    "text": (of_a(replace(block("a", 0, ""), text=7)), "text: this must be text: found 7"),
    "session": (of_a(block("a", 0, "y", session="")), "session: a name"),
    "vectors too few": (
        of_a(block("a", 0, ""), vectors=(Vectors(MODEL, 2, b"1234"),)),
        "2 float32 are expected for each of 1 bl",
    ),
    "vectors too many": (of_a(vectors=(query(1),)), "1 float32 are expected for each of 0"),
    "not a number": (put(entry("a", "x", vectors=[[float("nan"), 0]])), "not finite"),
    "infinite": (put(entry("a", "x", vectors=[[float("inf"), 0]])), "not finite"),
    "dimensions": (
        of_a(block("a", 0, ""), vectors=(Vectors(MODEL, 70_000, b""),)),
        "more than 65,536 dimensions",
    ),
    "model twice": (of_a(block("a", 0, ""), vectors=(query(1), query(1))), "model appears twice"),
    "keys": (
        of_a(block("a", 0, ""), vectors=(replace(query(1), keys=("k", "l")),)),
        "a key for each row is expected, or no keys: found 2",
    ),
    "vectors without blocks": (
        put(Entry(Document(id="a"), None, (query(1),))),
        "vectors need blocks in the same entry",
    ),
    "time beyond the last year": (
        put(entry("a", updated=datetime.max.replace(tzinfo=timezone(timedelta(hours=-12))))),
        "document.updated: a time must be in the years 1 to 9999 in UTC",
    ),
    "time without zone": (
        put(entry("a", created=day(1).replace(tzinfo=None))),
        "document.created: a time must have a time zone",
    ),
    "infinite confidence": (put(entry("a", confidence=float("inf"))), "confidence: a finite"),
    "true importance": (put(entry("a", importance=True)), "importance: a finite number"),
    "parent": (put(entry("a", parent="")), "parent: a name"),
    "position among siblings": (put(entry("a", position=-1)), "position: "),
    "end without zone": (
        put(entry("a", valid_to=day(1).replace(tzinfo=None))),
        "document.valid_to: a time must have a time zone",
    ),
    "metadata": (
        put(entry("a", metadata={"x": {1}})),
        r"put\[0\].document.metadata: cannot be written as JSON",
    ),
    "NaN in metadata": (put(entry("a", metadata={"x": float("nan")})), "cannot be written as JSON"),
    "readers": (put(entry("a", readers={"bob"})), "Pass Readers"),
    "closed readers": (put(entry("a", readers=Readers(closed=1))), "readers.closed: True or"),
    "own readers": (put(entry("a", own_readers="yes")), "own_readers: True, False or None"),
    "tags as text": (put(entry("a", tags="tag")), "tags: .*Use a list"),
    "nothing to keep": (put(Entry(Document(id="a"))), "blocks=None keeps the blocks of a document"),
    "removal": (Batch(remove=("",)), "remove: a name"),
    "relation": (relate(("a", "", "b")), r"relate\[0\].type: a name"),
    "end of a relation": (Batch(unrelate=(Relation("a", "", "t"),)), r"unrelate\[0\].target"),
    "weight": (Batch(relate=(Relation("a", "b", "t", float("nan")),)), "weight: a finite number"),
}


class WritingContract:
    """Batches, and what comes back of them."""

    def test_a_document_comes_back_as_it_was_written(self, store: Store) -> None:
        document = Document(
            id="handbook/leave.md",
            kind="note",
            title="Leave 🏝",
            path="handbook/leave.md",
            uri="https://example.org/leave",
            text_hash="abc",
            created=day(1),
            updated=day(2).replace(microsecond=123_457),
            accessed=day(3).astimezone(timezone(timedelta(hours=5, minutes=45))),
            confidence=0.25,
            importance=3.0,
            conversation="c1",
            parent="handbook",
            position=2,
            superseded_by="handbook/absence.md",
            valid_from=day(1),
            valid_to=day(4),
            tags=("b", "a"),
            metadata={"year": 2024, "who": ["ann", None], "deep": {"x": [1.5, True]}},
            readers=Readers(users=frozenset({"ann"}), groups=frozenset({"hr"})),
            own_readers=False,
        )
        store.write(ANN, put(Entry(document, ())))
        assert seen(store, ANN).documents([document.id]) == (document,)

    def test_a_block_comes_back_as_it_was_written(self, store: Store) -> None:
        first = block("a", 0, "Line one\r\nline two\x00 — café", heading=("Top", "It's"))
        first = replace(first, lines=(3, 4), session="s1", metadata={"speaker": "ann"})
        own = (replace(first, indexed_text="ann: line one"), block("a", 1, ""))
        store.write(ANN, of_a(*own))
        assert seen(store, ANN).blocks_of(["a"]) == own
        assert blocks(store, ANN, ["a#1", "nowhere", "a#0", "a#1"]) == (own[1], own[0])

    def test_half_characters_in_texts_are_replaced(self, store: Store) -> None:
        fields = {"title": "\udc00", "metadata": {"k\ud800": "v\udfff"}}
        written(store, entry("a", "x\ud800y", **fields))
        assert seen(store, ANN).blocks_of(["a"])[0].text == "x\ufffdy"
        (document,) = seen(store, ANN).documents(["a"])
        assert (document.title, document.metadata) == ("\ufffd", {"k\ufffd": "v\ufffd"})

    def test_an_id_that_no_store_can_keep_is_unknown(self, store: Store) -> None:
        written(store, entry("a", "x"))
        assert blocks(store, ANN, [HALF, "a\x00", LONG, "", "a#0\x00"]) == ()
        assert seen(store, ANN).documents([HALF, 7]) == ()

    def test_a_text_of_a_megabyte_is_kept_and_found(self, store: Store) -> None:
        text = "needle " + "x" * 1_000_000
        written(store, entry("a", text), entry("b", "hay"), entry("c", "straw"))
        assert seen(store, ANN).blocks_of(["a"])[0].text == text
        assert ids(search_text(store, ANN, ["needle"])) == ["a#0"]

    def test_ids_are_data_whatever_they_look_like(self, store: Store) -> None:
        odd = ["'; DROP TABLE blocks; --", '"', "%", "a\nb", "[1]", "NULL", "é", "x" * 990]
        written(store, *(entry(each, "found") for each in odd))
        assert {each.id for each in seen(store, ANN).documents(odd)} == set(odd)
        assert [each.id for each in seen(store, ANN).list_documents()] == sorted(odd)
        for each in odd:
            only = Filters(documents=frozenset({each}))
            assert ids(search_text(store, ANN, ["found"], filters=only)) == [f"{each}#0"]

    def test_blocks_are_ordered_by_position_and_keep_their_embeddings(self, store: Store) -> None:
        blocks = (block("a", position, f"text {position}") for position in (2, 0, 1))
        vectors = Vectors.of(MODEL, [[2, 1], [0, 1], [1, 1]], ["two", "zero", "one"])
        store.write(ANN, of_a(*blocks, vectors=(vectors,)))
        assert [each.position for each in seen(store, ANN).blocks_of(["a"])] == [0, 1, 2]
        assert ids(search_vectors(store, ANN, query(2, 1), limit=1)) == ["a#2"]
        known = {"two": vectors.row(0), "zero": vectors.row(1)}
        assert seen(store, ANN).known_vectors(MODEL, ["zero", "two", "three"]) == known
        assert seen(store, ANN).known_vectors("another model", ["zero"]) == {}

    def test_a_document_may_have_no_blocks_and_no_embeddings(self, store: Store) -> None:
        nothing = Vectors.of(MODEL, [])
        written(store, Entry(Document(id="a", title="Words"), (), (nothing,)), entry("b", "words"))
        assert [each.id for each in seen(store, ANN).list_documents()] == ["a", "b"]
        assert ids(search_text(store, ANN, ["words"])) == ["b#0"]
        assert seen(store, ANN).info().vectors == {}

    def test_a_document_that_is_put_again_is_replaced_whole(self, store: Store) -> None:
        written(store, entry("a", "old words", "more", vectors=[[1, 0], [0, 1]], tags=("t",)))
        written(store, entry("a", "new words"))
        assert [each.text for each in seen(store, ANN).blocks_of(["a"])] == ["new words"]
        assert search_text(store, ANN, ["old"]) == ()
        assert search_vectors(store, ANN, query(1, 0)) == ()
        assert seen(store, ANN).documents(["a"])[0].tags == ()

    def test_an_entry_without_blocks_changes_the_document_only(self, store: Store) -> None:
        first = entry("a", "some words", "others", vectors=[[1, 0], [0, 1]], title="Before")
        written(store, first)
        store.write(ANN, put(Entry(Document(id="a", title="After", confidence=0.5))))
        assert seen(store, ANN).documents(["a"])[0].confidence == 0.5
        assert seen(store, ANN).blocks_of(["a"]) == first.blocks
        assert ids(search_vectors(store, ANN, query(1, 0), limit=1)) == ["a#0"]
        assert search_text(store, ANN, ["before"]) == ()
        assert set(ids(search_text(store, ANN, ["after"]))) == {"a#0", "a#1"}

    def test_removed_documents_are_gone_and_unknown_ones_are_ignored(self, store: Store) -> None:
        written(store, entry("a", "one"), entry("b", "one", text_hash="h"))
        store.write(ANN, Batch(remove=("a", "nowhere")))
        assert ids(search_text(store, ANN, ["one"])) == ["b#0"]
        assert [each.id for each in seen(store, ANN).list_documents()] == ["b"]
        assert (seen(store, ANN).documents(["a"]), blocks(store, ANN, ["a#0"])) == ((), ())
        assert seen(store, ANN).fingerprints() == {"b": "h"}

    def test_an_id_is_free_again_once_its_document_is_removed(self, store: Store) -> None:
        written(store, entry("a", "one"))
        moved = Entry(Document(id="b"), (block("b", 0, "two", id="a#0"),))
        with pytest.raises(InputError, match="the block's id belongs to another document"):
            store.write(ANN, put(moved))
        store.write(ANN, Batch(put=(moved,), remove=("a",)))
        assert blocks(store, ANN, ["a#0"])[0].text == "two"

    @pytest.mark.parametrize("mistake", MISTAKES)
    def test_a_batch_with_a_mistake_is_refused_and_leaves_no_trace(
        self, store: Store, mistake: str
    ) -> None:
        batch, message = MISTAKES[mistake]
        before = written(store, entry("kept", "words"))
        with pytest.raises(InputError, match=message):
            store.write(ANN, batch)
        with pytest.raises(InputError):
            store.write(ANN, replace(batch, put=(entry("fine", "words"), *batch.put)))
        assert seen(store, ANN).state.version == before
        assert ids(search_text(store, ANN, ["words"])) == ["kept#0"]
        assert seen(store, ANN).info().documents == 1

    def test_a_write_on_top_of_another_version_than_the_expected_one_is_refused(
        self, store: Store
    ) -> None:
        first = store.write(INDEXER, put(entry("a", "x")), expected_version=0)
        second = store.write(INDEXER, put(entry("b", "x")), expected_version=first)
        for expected in (0, first, second + 1):
            with pytest.raises(VersionConflictError, match=f"version {expected} was expected"):
                store.write(INDEXER, put(entry("c", "x")), expected_version=expected)
        with pytest.raises(InputError, match="expected_version: "):
            store.write(INDEXER, put(entry("c", "x")), expected_version=-1)
        assert seen(store, INDEXER).state.version == second
        assert seen(store, INDEXER).documents(["c"]) == ()

    def test_embeddings_of_a_model_all_have_its_dimensions(self, store: Store) -> None:
        written(store, entry("a", "x", vectors=[[1, 0]]))
        with pytest.raises(InputError, match="model 'tiny' have 2 dimensions here: found 3"):
            written(store, entry("b", "x", vectors=[[1, 0, 0]]))
        with pytest.raises(InputError, match=r"query: .* 2 dimensions here: found 1"):
            search_vectors(store, ANN, query(1))

    def test_every_batch_makes_a_version_and_use_makes_none(self, store: Store) -> None:
        versions = [
            seen(store, ANN).state.version,
            written(store, entry("a", "x")),
            store.write(ANN, Batch()),
        ]
        store.record_usage(ANN, used=["a#0"], when=day(1))
        store.record_usage(ANN, helpful=["a#0"])
        assert versions == sorted(set(versions))
        assert seen(store, ANN).state.version == versions[-1]

    def test_uses_and_feedback_are_counted_for_existing_blocks(self, store: Store) -> None:
        written(store, entry("a", "x", "y"), entry("b", "x", readers=ONLY_BOB))
        store.record_usage(ANN, used=["a#0", "a#0", "b#0", "nowhere"], when=day(2))
        store.record_usage(ANN, used=["a#0"], when=day(1))
        store.record_usage(ANN, helpful=["a#0", "a#1", "b#0"], unhelpful=["a#1"])
        store.record_usage(ANN, helpful=["a#1"])
        assert seen(store, INDEXER).usage(["a#0", "a#1", "b#0", "nowhere"]) == {
            "a#0": Usage(used=2, helpful=1, last_used=day(2)),
            "a#1": Usage(helpful=2, unhelpful=1),
        }
        assert seen(store, ANN).documents(["a"])[0].accessed == day(2)

    def test_a_workspace_keeps_the_source_that_was_recorded_last(self, store: Store) -> None:
        assert seen(store, ANN).state.source is None
        version = written(store, entry("a", "x"))
        assert seen(store, ANN).state.source is None
        store.record_source(ANN, "../notes")
        store.record_source(ANN, "../other notes")
        assert seen(store, ANN).state.source == seen(store, BOB).state.source == "../other notes"
        assert seen(store, STRANGER).state.source is None
        assert seen(store, ANN).state.version == version
        with pytest.raises(InputError, match="source"):
            store.record_source(ANN, "")

    def test_a_workspace_is_partial_until_what_fills_it_has_finished(self, store: Store) -> None:
        assert not seen(store, ANN).state.is_partial
        store.record_filling(INDEXER, finished=False)
        assert seen(store, ANN).state.version == 0
        version = written(store, entry("a", "x"))
        assert seen(store, ANN).state.is_partial
        assert seen(store, BOB).state.is_partial
        assert not seen(store, STRANGER).state.is_partial
        store.record_filling(INDEXER, finished=True)
        assert not seen(store, ANN).state.is_partial
        assert seen(store, ANN).state.version == version
        store.record_filling(INDEXER, finished=False)
        store.clear(INDEXER)
        assert not seen(store, ANN).state.is_partial
        with pytest.raises(InputError, match="finished"):
            store.record_filling(INDEXER, finished=5)  # type: ignore[arg-type] # a mistake of a caller

    def test_usage_survives_a_new_text_of_the_block(self, store: Store) -> None:
        written(store, entry("a", "x"))
        store.record_usage(ANN, used=["a#0"], when=day(1))
        written(store, entry("a", "y"))
        assert seen(store, ANN).usage(["a#0"]) == {"a#0": Usage(used=1, last_used=day(1))}

    def test_the_counts_of_a_block_go_to_the_one_in_its_place(self, store: Store) -> None:
        def blocks(*ids: str) -> Entry:
            made = (block("a", n, f"{each} text", id=each) for n, each in enumerate(ids))
            return Entry(Document(id="a"), tuple(made))

        store.write(ANN, put(blocks("one", "two", "three")))
        store.record_usage(ANN, used=["two"], when=day(1))
        store.record_usage(ANN, helpful=["two", "three"])
        store.write(ANN, put(blocks("one", "2nd", "three", "new")))
        two = Usage(used=1, helpful=1, last_used=day(1))
        every = ["one", "two", "three", "2nd", "new"]
        assert seen(store, ANN).usage(every) == {"2nd": two, "three": Usage(helpful=1)}
        store.write(ANN, Batch(remove=("a",), put=(blocks("one", "third"),)))
        assert seen(store, ANN).usage([*every, "third"]) == {}

    def test_counts_go_with_their_block(self, store: Store) -> None:
        """So whoever uses its id later finds out nothing of what was removed."""
        written(store, entry("a", "secret", "x", readers=ONLY_BOB))
        store.record_usage(BOB, used=["a#0", "a#1"], when=day(1))
        store.record_usage(BOB, unhelpful=["a#0", "a#1"])
        written(store, entry("a", "secret", readers=ONLY_BOB))
        moved = Entry(Document(id="b"), (block("b", 0, "mine", id="a#1"),))
        store.write(ANN, put(moved))
        assert seen(store, ANN).usage(["a#1"]) == {}
        store.write(INDEXER, Batch(remove=("a",)))
        written(store, entry("a", "mine"), principal=ANN)
        assert seen(store, ANN).usage(["a#0", "a#1"]) == {}
        assert seen(store, ANN).documents(["a"])[0].accessed is None

    def test_the_time_of_the_last_use_survives_a_new_text(self, store: Store) -> None:
        written(store, entry("a", "x"), entry("b", "x"))
        store.record_usage(ANN, used=["a#0", "b#0"], when=day(2))
        written(store, entry("a", "y"), entry("b", "y", accessed=day(3)))
        store.write(ANN, put(Entry(Document(id="a", title="Z", accessed=day(1)))))
        store.write(ANN, put(Entry(Document(id="b"))))
        assert [each.accessed for each in seen(store, ANN).documents(["a", "b"])] == [
            day(2),
            day(3),
        ]

    def test_info_counts_what_can_be_seen(self, store: Store) -> None:
        written(
            store,
            entry("a", "one two", "three", vectors=[[1, 0], [0, 1]], kind="note"),
            entry("b", "four", readers=ONLY_BOB, vectors=[[1, 0]]),
        )
        store.write(INDEXER, relate(("a", "cites", "b"), ("a", "cites", "a"), ("a", "x", "gone")))
        info = seen(store, ANN).info()
        assert (info.documents, info.blocks, info.tokens, info.relations) == (1, 2, 3, 1)
        assert (info.kinds, info.vectors) == ({"note": 1}, {MODEL: VectorCount(2, 2)})
        assert seen(store, BOB).info().relations == 2
        assert info.version == seen(store, ANN).state.version

    def test_an_empty_store_returns_empty_results(self, store: Store) -> None:
        assert (
            seen(store, ANN).state.version,
            seen(store, ANN).fingerprints(),
            seen(store, ANN).list_documents(),
        ) == (
            0,
            {},
            (),
        )
        assert seen(store, ANN).info().vectors == seen(store, ANN).info().kinds == {}
        assert search_text(store, ANN, ["x"]) == search_fuzzy(store, ANN, ["word"]) == ()
        assert search_vectors(store, ANN, query(1)) == seen(store, ANN).recent() == ()
        assert text_scores(store, ANN, ["x"]) == vector_scores(store, ANN, query(1)) == {}
        store.record_usage(ANN, used=["a"], when=day(1))
        store.prepare(ANN)
        assert store.check() == ()

    def test_a_principal_cannot_touch_what_it_cannot_see(self, store: Store) -> None:
        written(store, entry("a", "secret", readers=ONLY_BOB), entry("b", "x"), entry("c", "x"))
        store.write(BOB, relate(("b", "cites", "a")))
        with pytest.raises(InputError, match="may not replace the document with this id"):
            store.write(ANN, put(entry("a", "mine")))
        with pytest.raises(InputError, match=r"may not replace"):
            store.write(ANN, put(Entry(Document(id="a"))))
        store.write(ANN, Batch(remove=("a",), unrelate=(Relation("b", "a", "cites"),)))
        store.write(ANN, relate(("c", "cites", "a")))
        assert seen(store, BOB).blocks_of(["a"])[0].text == "secret"
        assert [each.document_id for each in related_documents(store, BOB, "b")] == ["a"]
        assert related_documents(store, BOB, "c") == ()

    def test_the_time_of_the_last_change_is_that_of_the_newest_version(self, store: Store) -> None:
        assert seen(store, ANN).state.changed is None
        started = datetime.now(UTC)
        written(store, entry("a", "x"))
        first = seen(store, ANN).state.changed
        assert first is not None
        assert started <= first <= datetime.now(UTC)
        store.write(STRANGER, put(entry("a", "x")))
        store.record_usage(ANN, used=["a#0"], when=day(1))
        assert seen(store, ANN).state.changed == first
        written(store, entry("b", "x"))
        second = seen(store, ANN).state.changed
        assert second is not None
        assert second > first
        store.vacuum()
        assert seen(store, ANN).state.changed == second

    def test_vacuum_keeps_the_newest_version_as_it_is(self, store: Store) -> None:
        written(store, entry("a", "old", title="Old"), entry("b", "kept words", vectors=[[1, 0]]))
        written(store, entry("a", "new"))
        store.record_usage(ANN, used=["b#0"], when=day(1))
        found = search_text(store, ANN, ["new", "kept", "old"])
        store.vacuum()
        assert search_text(store, ANN, ["new", "kept", "old"]) == found
        assert ids(search_vectors(store, ANN, query(1, 0))) == ["b#0"]
        assert ids(search_fuzzy(store, ANN, ["wirds"])) == ["b#0"]
        assert seen(store, ANN).usage(["b#0"])["b#0"].used == 1
        assert store.check() == ()
