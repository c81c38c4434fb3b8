"""Programs write documents; what they wrote is found when the call returns."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from dataclasses import fields, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given, strategies as st

from biblicus_context import (
    ContextAssembler,
    ContextRetrieverRequest,
    Corpus,
    Principal,
    Readers,
    Record,
)
from biblicus_context.corpora import StoredAnswerCache
from biblicus_context.corpora.errors import HasRootError, NoRootError
from biblicus_context.corpora.maintenance import account
from biblicus_context.corpora.staleness import measure_staleness
from biblicus_context.errors import InputError, PlanError
from biblicus_context.ingest import RecordPart, RelationTo
from biblicus_context.ingest.records.record_lines import _LINE
from biblicus_context.retrieval import Origin
from biblicus_context.spec.corpus import CorpusDeclaration
from biblicus_context.stores import Relation, StoreError
from biblicus_context.testing.memory_store import InMemoryStore
from biblicus_context.testing.store_samples import seen
from tests.permissions import permissions_hold

TEA = Record(id="m1", kind="fact", text="Green tea wants water of 80 degrees.", confidence=0.9)
SHIP = Record(id="m2", kind="decision", text="We ship on Friday.", tags=("launch",))

Opener = Callable[[], Corpus]


@pytest.fixture(params=["folder", "store"])
def memories(request: pytest.FixtureRequest, tmp_path: Path) -> Corpus:
    """A corpus in a folder, and one over another store."""
    place = tmp_path / "memories" if request.param == "folder" else InMemoryStore()
    return Corpus.open_records(place, name="memories")


def found(corpus: Corpus, query: str, **settings: Any) -> list[str]:
    return [each.document.id for each in corpus.search(query, **settings)]


def test_what_was_put_is_found_at_once(memories: Corpus):
    written = memories.put([TEA, SHIP])
    assert (written.records, written.blocks, written.embedded) == (2, 2, 2)
    assert found(memories, "When do we ship?")[0] == "m2"
    best = memories.search("How hot is the water?")[0]
    assert (best.block.text, best.document.kind, best.document.confidence) == (
        TEA.text,
        "fact",
        0.9,
    )
    assert best.where == "m1"


def test_before_anything_was_written_nothing_is_found_and_nothing_is_made(tmp_path: Path):
    memories = Corpus.open_records(tmp_path / "memories")
    assert memories.search("tea") == []
    assert not memories.place.exists()
    empty = tmp_path / "empty"
    empty.mkdir()
    assert Corpus.open_records(empty).search("tea") == []


def test_a_record_replaces_the_document_of_its_id_and_known_vectors_are_reused(memories: Corpus):
    memories.put([TEA, SHIP])
    written = memories.put([replace(TEA, kind="belief"), replace(SHIP, text="We ship on Monday.")])
    assert (written.embedded, written.reused) == (1, 1)
    assert found(memories, "tea", filters={"kind": "fact"}) == []
    assert memories.search("ship")[0].block.text == "We ship on Monday."


def test_the_parts_of_a_record_are_found_by_themselves(memories: Corpus):
    axes = {"strategy": "Bisect the history.", "surprise": "The clock of the machine was wrong."}
    parts = tuple(RecordPart(text=text, metadata={"axis": axis}) for axis, text in axes.items())
    memories.put([Record(id="ghap_1", kind="experience", parts=parts)])
    best = memories.search("Which clock was wrong?", neighbours=0)[0]
    assert (best.block.text, best.block.metadata) == (axes["surprise"], {"axis": "surprise"})


def test_a_search_of_one_view_finds_that_view_alone(memories: Corpus):
    """Views next to a good hit lend and get nothing, whatever they say."""
    views = {"goal": "Find the race.", "surprise": "The clock was wrong.", "cause": "Time zone."}
    parts = tuple(RecordPart(text=text, metadata={"view": name}) for name, text in views.items())
    others = [Record(id=f"n{n}", text=f"Note {n} about lamps.") for n in range(5)]
    memories.put([Record(id="g1", kind="experience", parts=parts), *others])
    for name, text in views.items():
        hits = memories.search("Find the race", filters={"block_metadata": {"view": name}})
        assert [each.block.text for each in hits] == [text]
    listed = memories.documents({"block_metadata": {"view": "cause"}})
    assert [each.id for each in listed] == ["g1"]


def test_a_view_is_ranked_as_if_it_were_a_document_of_its_own(memories: Corpus, tmp_path: Path):
    """A record of several views costs nothing of the ranking by one of them."""
    said = ["The clock was wrong", "A full disk", "Two clocks differ", "The disk failed", "Tea"]
    filters = {"block_metadata": {"view": "surprise"}}
    memories.put(
        Record(
            id=f"g{n}",
            parts=(
                RecordPart(text=said[-n], metadata={"view": "goal"}),
                RecordPart(text=text, metadata={"view": "surprise"}),
                RecordPart(text=said[n - 2], metadata={"view": "cause"}),
            ),
        )
        for n, text in enumerate(said)
    )
    with Corpus.open_records(tmp_path / "alone") as alone:
        alone.put(Record(id=f"g{n}", text=text) for n, text in enumerate(said))
        assert found(memories, "wrong clock", filters=filters) == found(alone, "wrong clock")


def test_records_are_written_and_others_removed_at_once(memories: Corpus):
    """In one version; what is in both is written."""
    memories.put([TEA, SHIP])
    before = seen(memories.store, memories.principal).state.version
    written = memories.put([replace(TEA, text="Tea is hot.")], remove=["m1", "m2", "unknown"])
    assert written.version == before + 1
    assert [each.id for each in memories.documents()] == ["m1"]
    assert memories.get(["m1"])[0].text == "Tea is hot."


def test_parts_with_a_speaker_are_turns_of_a_session(memories: Corpus):
    said = [("ann", "When do we ship?"), ("bob", "On Friday.")]
    turns = tuple(RecordPart(text=text, speaker=name) for name, text in said)
    memories.put([Record(id="c1", kind="conversation", parts=turns)])
    (best,) = memories.search("ship", limit=1, neighbours=1, format={"speakers": True})
    assert best.is_turn
    assert best.block.text.startswith("ann: When do we ship?\nbob: On Friday.")


def test_a_long_text_is_cut_and_a_short_one_stays_whole(memories: Corpus):
    long = "\n\n".join(f"Paragraph {number} is about lamps. " * 12 for number in range(20))
    assert memories.put([Record(id="long", text=long)]).blocks > 5
    assert memories.put([Record(id="short", text="One line.")]).blocks == 1


def test_relations_are_written_with_a_record_and_on_their_own(memories: Corpus):
    memories.put([TEA, replace(SHIP, relations=(RelationTo("m1", "after"),))])
    related = {"retriever_id": "related", "from": ["m2"]}
    assert found(memories, "", **related) == ["m1"]
    memories.unrelate([Relation("m2", "m1", "after")])
    assert found(memories, "", **related) == []
    memories.relate([Relation("m2", "m1", "before")])
    assert found(memories, "", relation="before", **related) == ["m1"]


def test_what_was_removed_is_not_found(memories: Corpus):
    memories.put([TEA, SHIP])
    memories.remove(["m1", "unknown"])
    assert found(memories, "tea ship") == ["m2"]


def test_readers_and_workspaces_keep_records_apart(memories: Corpus):
    memories.put([replace(TEA, readers=Readers(users=frozenset({"ann"})))])
    assert found(memories, "tea") == []
    assert found(memories.for_principal(Principal("local", user="ann")), "tea") == ["m1"]
    acme = memories.for_principal(Principal("acme"))
    acme.put([replace(SHIP, id="m1")])
    assert found(acme, "tea ship") == ["m1"]
    assert found(memories, "ship") == []


def test_a_view_as_another_principal_shares_the_store_and_closes_nothing(memories: Corpus):
    memories.put([TEA])
    with memories.for_principal(Principal("acme", user="ann")) as view:
        assert view.store is memories.store
        assert view.embedder is memories.embedder
    assert found(memories, "tea") == ["m1"]


@pytest.mark.parametrize(
    ("bad", "problem"),
    [
        (replace(TEA, id=""), r"records\[1\]\.id: a name must be text"),
        (replace(TEA, id="m2"), r"records\[1\]\.id: the id appears twice"),
        (replace(TEA, text=5), r"records\[1\]\.text: this must be text"),
        (replace(TEA, confidence="high"), r"records\[1\]\.confidence: a finite number"),
        (replace(TEA, tags="launch"), r"records\[1\]\.tags: .*Use a list"),
        (replace(TEA, metadata={"x": object()}), r"records\[1\]\.metadata: cannot be written"),
        (replace(TEA, parts=(RecordPart(text="x"),)), r"records\[1\]\.text: .*not both"),
        (Record(id="m3", parts=("x",)), r"records\[1\]\.parts\[0\]: a RecordPart is expected"),
        (replace(TEA, relations=("m2",)), r"records\[1\]\.relations\[0\]: a RelationTo"),
        (replace(TEA, relations=(RelationTo("", "x"),)), r"records\[1\]\.relations\[0\]\.target"),
        ({"id": "m1"}, r"records\[1\]: a Record is expected: found 'dict'"),
    ],
)
def test_a_bad_record_is_an_error_with_its_number_and_nothing_is_written(
    memories: Corpus, bad: Any, problem: str
):
    with pytest.raises(InputError, match=problem):
        memories.put([SHIP, bad])
    assert found(memories, "ship") == []


def test_any_number_of_records_is_written_in_batches(memories: Corpus):
    written = memories.put_many(
        Record(id=f"n{number}", text=f"Lamp {number} is on.") for number in range(2_500)
    )
    assert (written.records, written.version) == (2_500, 3)
    assert seen(memories.store, memories.principal).info().documents == 2_500
    assert memories.put_many([]) == replace_version(memories, 3)


def replace_version(memories: Corpus, version: int) -> Any:
    return type(memories.put_many([]))(version)


@given(
    st.text(max_size=400), st.dictionaries(st.text(max_size=8), st.text(max_size=400), max_size=3)
)
def test_no_text_is_lost_and_metadata_is_kept_as_it_is(text: str, metadata: dict[str, str]):
    memories = Corpus.open_records(InMemoryStore(), embedder=None)
    memories.put([Record(id="m", text=text, metadata=metadata)])
    blocks = seen(memories.store, memories.principal).blocks_of(["m"])
    assert "".join("".join(each.text for each in blocks).split()) == "".join(text.split())
    (document,) = seen(memories.store, memories.principal).documents(["m"])
    assert document.metadata == metadata


texts = st.text(st.sampled_from("ab .\n\t漢。é"), max_size=300).map(str.strip)
parts = st.builds(
    RecordPart,
    text=texts.filter(bool),
    heading=st.sampled_from([(), ("One", "Two")]),
    speaker=st.sampled_from(["", "ann"]),
    metadata=st.sampled_from([{}, {"axis": "x"}]),
)


@given(texts | st.lists(parts, min_size=1, max_size=3))
@example(" ".join(f"Sentence {n} is about lamps." for n in range(200)))
@example("。".join(["漢字" * 20] * 60))
@example("\n\n\n".join(["Lamp. " * 60] * 8).strip())
def test_what_was_put_is_read_again_as_it_was(content: str | list[RecordPart]):
    memories = Corpus.open_records(InMemoryStore(), embedder=None)
    if isinstance(content, str):
        record = replace(TEA, text=content, tags=("a",), relations=(RelationTo("b", "x", 2.0),))
    else:
        record = replace(TEA, text="", parts=tuple(content))
    memories.put([Record(id="b"), record])
    (read,) = memories.get(["m1", "unknown"])
    if isinstance(content, str) or read.parts:
        assert read == record
    else:  # a part that says no more than a text does
        assert [RecordPart(text=read.text)] == content


def test_records_are_listed_by_id(memories: Corpus):
    assert [*memories.documents()] == []
    memories.put([SHIP, TEA, Record(id="m0", superseded_by="m1")])
    assert [each.id for each in memories.documents()] == ["m0", "m1", "m2"]
    assert [each.id for each in memories.documents({"kind": "fact"})] == ["m1"]
    assert [each.id for each in memories.documents({})] == ["m1", "m2"]
    assert [each.id for each in memories.documents(after="m1")] == ["m2"]


def test_an_update_changes_what_it_names_and_nothing_else(memories: Corpus):
    memories.put([TEA, SHIP])
    assert memories.update("m1", confidence=0.2, tags=("old",))
    (read,) = memories.get(["m1"])
    assert read == replace(TEA, confidence=0.2, tags=("old",))
    assert memories.update(
        "m1", text="Black tea wants boiling water.", relations=(RelationTo("m2", "x"),)
    )
    (read,) = memories.get(["m1"])
    assert (read.text, read.confidence) == ("Black tea wants boiling water.", 0.2)
    assert read.relations == (RelationTo("m2", "x"),)
    assert not memories.update("unknown", confidence=0.2)


def test_a_new_title_is_searched_by_words_and_by_meaning(memories: Corpus):
    memories.put([TEA, SHIP])
    memories.update("m2", title="Delivery of parcels")
    for retriever_id in ("keyword", "vector"):
        assert found(memories, "delivery of parcels", retriever_id=retriever_id)[0] == "m2"


@pytest.mark.parametrize(
    ("changes", "problem"),
    [
        ({"id": "m3"}, "not a field that can be changed: found 'id'"),
        ({"colour": "red"}, "not a field that can be changed: found 'colour'"),
        ({"confidence": "high"}, r"change\.confidence: a finite number"),
        ({"confidence": 7}, r"change\.confidence: a number from 0 to 1 is expected: found 7"),
        ({"importance": -0.1}, r"change\.importance: a number from 0 to 1 is expected"),
        ({"text": 7}, r"records\[0\]\.text: this must be text"),
    ],
)
def test_a_change_that_cannot_be_made_is_an_error(
    memories: Corpus, changes: dict[str, Any], problem: str
):
    memories.put([TEA])
    with pytest.raises(InputError, match=problem):
        memories.update("m1", **changes)
    assert memories.get(["m1"]) == (TEA,)


def test_a_cleared_workspace_is_gone_and_others_stay(memories: Corpus):
    assert memories.clear() == 0
    other = memories.for_principal(Principal("acme"))
    memories.put([TEA, replace(SHIP, readers=Readers(users=frozenset({"ann"})))])
    other.put([TEA])
    memories.clear()
    as_ann = memories.for_principal(Principal("local", user="ann"))
    assert [*as_ann.documents()] == []
    assert [each.id for each in other.documents()] == ["m1"]
    if memories.index.is_in_folder:
        other.clear()
        memories.close()
        kept = b"".join(file.read_bytes() for file in memories.place.iterdir())
        assert b"80 degrees" not in kept
        assert b"m1" not in kept


def test_a_corpus_of_files_is_not_written_to_and_one_without_files_is_not_read(
    root: Path, memories: Corpus
):
    with Corpus.open(root) as notes, pytest.raises(HasRootError, match="are the files of"):
        notes.put([TEA])
    with pytest.raises(NoRootError, match="'memories' has no root, so there is nothing to read"):
        memories.ingest()


def test_records_and_files_share_a_store_if_it_is_declared_so(root: Path, tmp_path: Path):
    shared = tmp_path / "shared"
    with Corpus.open(root, store=shared) as notes, Corpus.open_records(shared) as memories:
        notes.ingest()
        memories.put([SHIP])
        assert notes.ingest().removed == ()
        assert found(notes, "We ship on Friday")[0] == "m2"
        assert "tea.md" in found(memories, "green tea")


def test_a_declared_corpus_without_a_root_is_written_by_programs(tmp_path: Path):
    declared = CorpusDeclaration(name="memories", config={"store": str(tmp_path / "memories")})
    with Corpus.open(declared) as memories:
        memories.put([TEA])
        assert memories.root is None
        assert measure_staleness(memories) is None
        assert account(memories).info.documents == 1
    with pytest.raises(PlanError, match="a corpus needs a root or a store"):
        Corpus.open(CorpusDeclaration(name="memories", config={"embedder": None}))
    with pytest.raises(PlanError, match="select files, so they need a `root`"):
        Corpus.open(CorpusDeclaration(name="m", config={"store": "x", "include": ["*.md"]}))


PLAN = {"ask": {"messages": [{"type": "context", "name": "kb"}]}}
RETRIEVERS = {
    "kb": {
        "corpus": "memories",
        "config": {"retriever_id": "hybrid", "query": "{input.q}", "cache": {"ttl_seconds": 60}},
    }
}


def test_an_assembler_reads_what_an_open_corpus_writes(memories: Corpus):
    assembler = ContextAssembler(PLAN, RETRIEVERS, corpora={"memories": memories})
    assert assembler.assemble("ask", inputs={"q": "tea"}).system_prompt == ""
    memories.put([TEA])
    assert assembler.assemble("ask", inputs={"q": "tea"}).system_prompt == TEA.text


def test_one_assembler_serves_many_principals(memories: Corpus):
    assembler = ContextAssembler(PLAN, RETRIEVERS, corpora={"memories": memories})
    for number in range(100):
        tenant = Principal(f"tenant-{number}")
        memories.for_principal(tenant).put([replace(TEA, text=f"Tea of tenant {number}.")])
    for _ in range(2):  # the second time, answers come from the cache that all of them share
        for number in range(100):
            view = assembler.for_principal(Principal(f"tenant-{number}"))
            result = view.assemble("ask", inputs={"q": "tea"})
            assert result.system_prompt == f"Tea of tenant {number}."
    assert assembler.assemble("ask", inputs={"q": "tea"}).system_prompt == ""


def test_only_open_corpora_are_passed_as_such():
    with pytest.raises(InputError, match="corpora 'memories': an open corpus is expected"):
        ContextAssembler(PLAN, RETRIEVERS, corpora={"memories": {"root": "x"}})
    assembler = ContextAssembler(PLAN, RETRIEVERS, {"memories": {"config": {"store": "x"}}})
    with pytest.raises(InputError, match="a store needs a principal"):
        assembler.for_principal("acme")


KILLED = """
import os, sys
from biblicus_context import Corpus, Record
memories = Corpus.open_records(sys.argv[1])
memories.put([Record(id="first", text="The first record.")])
print("ready", flush=True)
number = 0
while True:
    number += 1
    memories.put([Record(id=f"{number}-{n}", text=f"Record {n} of call {number}.") for n in range(50)])
    print(number, flush=True)
"""


def test_a_killed_program_leaves_whole_calls(tmp_path: Path):
    place = tmp_path / "memories"
    for _ in range(3):
        command = [sys.executable, "-c", KILLED, str(place)]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as program:
            assert program.stdout is not None
            returned = [program.stdout.readline() for _ in range(4)]
            program.kill()
        assert returned[0] == "ready\n"
        with Corpus.open_records(place) as memories:
            ids = set(seen(memories.store, memories.principal).fingerprints())
            calls = {each.partition("-")[0] for each in ids} - {"first"}
            assert {"1", "2", "3"} <= calls
            assert len(ids) == 50 * len(calls) + 1
            assert memories.store.check() == ()


@pytest.mark.parametrize("wrong", [None, 5, "tea"])
def test_what_is_no_list_of_records_ids_or_relations_is_refused(memories: Corpus, wrong: Any):
    """A text was taken letter by letter: to remove 'tea' removed 't', 'e' and 'a'."""
    memories.put([TEA])
    for write in (memories.put, memories.put_many):
        with pytest.raises(InputError, match="records: a sequence of records is expected"):
            write(wrong)
    for write in (memories.relate, memories.unrelate):
        with pytest.raises(InputError, match="relations: a sequence of relations is expected"):
            write(wrong)
        with pytest.raises(InputError, match=r"relations\[0\]: a Relation is expected"):
            write([wrong])
    with pytest.raises(InputError, match="ids: a sequence of texts is expected"):
        memories.remove(wrong)
    assert [each.id for each in memories.documents()] == [TEA.id]


@pytest.mark.parametrize(
    ("vector", "said"),
    [
        ([1e308] * 256, "vector: vectors are numbers of 32 bits, and this one is too large"),
        ([1.0] * 255 + ["b"], r"vector\[255\]: a finite number is expected: found 'b'"),
        ([float("inf")] * 256, r"vector\[0\]: a finite number"),
        (5, "vector: a sequence of numbers is expected"),
    ],
)
def test_a_vector_that_cannot_be_one_is_refused(memories: Corpus, vector: Any, said: str):
    memories.put([TEA])
    with pytest.raises(InputError, match=said):
        memories.search("tea", vector=vector)


def test_a_vector_takes_the_place_of_the_embedding_of_a_query(memories: Corpus):
    memories.put([TEA, SHIP])
    assert memories.embedder is not None
    vector = memories.embedder.embed_query("When do we ship?").tolist()
    for retriever_id in ("vector", "hybrid"):
        assert memories.search("", vector=vector, retriever_id=retriever_id)[0].document.id == "m2"
    by_words = memories.search("tea", vector=vector, retriever_id="keyword")
    assert [each.document.id for each in by_words] == ["m1"]
    for bad in (vector[1:], [*vector[1:], float("nan")], [*vector[1:], "x"]):
        with pytest.raises(InputError, match="vector"):
            memories.search("", vector=bad)


def test_a_call_brings_its_own_retrievers(memories: Corpus):
    memories.put([TEA])
    assembler = ContextAssembler(PLAN, RETRIEVERS, corpora={"memories": memories})
    own = {"kb": lambda request: [f"Asked: {request.query}"]}
    assert (
        assembler.assemble("ask", inputs={"q": "tea"}, retrievers=own).system_prompt == "Asked: tea"
    )
    assert assembler.assemble("ask", inputs={"q": "tea"}).system_prompt == TEA.text
    with pytest.raises(PlanError, match="Retriever 'kbb' not defined"):
        assembler.assemble("ask", inputs={"q": "tea"}, retrievers={"kbb": own["kb"]})


@given(texts | st.lists(parts, min_size=1, max_size=3), st.sampled_from(["", "s1"]))
def test_records_are_exported_and_imported(content: str | list[RecordPart], session: str):
    memories, other = (Corpus.open_records(InMemoryStore(), embedder=None) for _ in range(2))
    known = replace(
        TEA,
        created=datetime(2026, 1, 2, tzinfo=UTC),
        readers=Readers(users=frozenset({"ann"}), groups=frozenset({"hr"})),
        relations=(RelationTo("m2", "x", 0.5),),
        metadata={"deep": [1, {"a": None}]},
        origin=Origin(session=session or None, messages=("1", "2")),
    )
    text = content if isinstance(content, str) else ""
    own = () if isinstance(content, str) else tuple(content)
    as_ann = memories.for_principal(Principal("local", user="ann"))
    as_ann.put([replace(known, text=text, parts=own), SHIP])
    lines = [*as_ann.export_lines()]
    reader = other.for_principal(Principal("local", user="ann"))
    assert reader.import_lines([*lines, "", "\n"]).records == 2
    assert reader.get(["m1", "m2"]) == as_ann.get(["m1", "m2"])
    assert [*reader.export_lines()] == lines


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        ("{", "line 1: not a line of JSON"),
        ("7", "line 1: a record is a mapping: found 'int'"),
        ('{"id": "a", "texts": ""}', "line 1: not a field of a record: found 'texts'"),
        ('{"text": "no id"}', r"line 1\.id: Field required"),
        ('{"id": "a", "created": "soon"}', r"line 1\.created: .*found 'soon'"),
        ('{"id": "a", "created": "2026-01-01T00:00:00"}', r"line 1\.created: a time must have"),
        ('{"id": "a", "title": 5}', r"line 1\.title: Input should be a valid string: found 5"),
        ('{"id": "a", "tags": [{}]}', r"line 1\.tags\.0: "),
        ('{"id": "a", "tags": "x"}', r"line 1\.tags: "),
        ('{"id": "a", "confidence": 1%s}' % ("0" * 400), r"line 1\.confidence: "),
        ('{"id": "a", "confidence": NaN}', r"line 1\.confidence: "),
        ('{"id": "a", "importance": 2}', r"line 1\.importance: a number from 0 to 1"),
        ('{"id": "a", "parts": [{"text": "b", "session": {}}]}', r"line 1\.parts\.0\.session: "),
        ('{"id": "a", "parts": [{"text": "b", "nonsense": 1}]}', r"line 1\.parts\.0: not a field"),
        ('{"id": "a", "parts": [[{}]]}', r"line 1\.parts\.0: "),
        ('{"id": "a", "conversation": [{}]}', r"line 1\.conversation: "),
        ('{"id": "a", "metadata": "x"}', r"line 1\.metadata: "),
        ('{"id": "a", "metadata": ' + '{"x":' * 600 + "1" + "}" * 601, "line 1"),
        ('{"id": "a", "origin": []}', r"line 1\.origin: "),
        ('{"id": "a", "relations": [{"target": "b"}]}', r"line 1\.relations\.0\.type: "),
        ('{"id": "a", "readers": {"users": "ann"}}', r"line 1\.readers\.users: "),
        ('{"id": "%s"}' % ("x" * 1001), r"line 1\.id: longer than 1,000 characters"),
        ('{"id": ""}', r"line 1\.id: a name must be text that is not empty"),
        ("7" * 5000, "line 1: not a line of JSON"),
        (5, "line 1: a line of JSON is expected"),
        (b"{}", "line 1: a line of JSON is expected"),
        ('{"id": "a", "parts": [7]}', r"line 1\.parts\.0: "),
    ],
)
def test_a_line_that_is_no_record_is_an_error_with_its_number(line: str, problem: str):
    with pytest.raises(InputError, match=problem):
        Corpus.open_records(InMemoryStore()).import_lines([line])


def test_a_line_may_hold_every_field_of_a_record_and_nothing_else():
    assert [*_LINE.json_schema()["properties"]] == [each.name for each in fields(Record)]


def test_half_of_a_pair_in_a_line_is_replaced(memories: Corpus):
    memories.import_lines([r'{"id": "a", "text": "\ud83d\ude00 \ud83d"}'])
    assert memories.get(["a"])[0].text == "\U0001f600 \ufffd"


@pytest.mark.parametrize("value", [5, b"x", object(), {}, [{}], {"a": {1}}, float("nan"), 10**400])
@pytest.mark.parametrize("field", [each.name for each in fields(Record)])
def test_a_wrong_value_in_a_record_is_an_error_with_its_place(field: str, value: object):
    memories = Corpus.open_records(InMemoryStore(), embedder=None)
    known = {"id": "a", "text": "Tea.", field: value}
    refused: list[str] = []
    try:
        memories.put([Record(**known)])  # type: ignore[arg-type]
    except InputError as error:
        refused.append(str(error))
    assert all(each.startswith("records[0]") for each in refused)
    memories.put([Record(id="a", text="Tea.")])
    try:
        memories.update("a", **{field: value})
    except InputError:
        pass
    else:
        assert memories.get(["a"])


@pytest.mark.parametrize(
    "call",
    [
        lambda corpus: corpus.search("tea"),
        lambda corpus: corpus.get(["m1"]),
        lambda corpus: [*corpus.documents()],
        lambda corpus: corpus.record_activity("m1", "view"),
        lambda corpus: corpus.clear(),
        lambda corpus: corpus.put([TEA]),
    ],
)
def test_a_folder_that_may_not_be_read_is_an_error_of_its_store(tmp_path: Path, call: Callable):
    folder = tmp_path / "memories"
    with Corpus.open_records(folder, embedder=None) as memories:
        memories.put([TEA])
    folder.chmod(0)
    with permissions_hold():
        for place in (folder, folder / "inside"):
            with pytest.raises(StoreError, match=r"memories.*: cannot be read"):
                call(Corpus.open_records(place, embedder=None))
    folder.chmod(0o700)


def test_a_store_remembers_answers_for_other_processes(memories: Corpus):
    now = 1000.0
    cache = StoredAnswerCache(memories, max_entries=3, clock=lambda: now)
    other = StoredAnswerCache(memories, max_entries=3, clock=lambda: now)
    cache.put("model:a", b"\x00\xff", 60)
    assert other.get("model:a") == b"\x00\xff"
    assert other.get("model:b") is None
    now += 61
    assert other.get("model:a") is None
    for number in range(20):
        now += 1
        cache.put(f"model:{number}", b"x", 60)
    assert [cache.get(f"model:{number}") for number in (0, 19)] == [None, b"x"]
    assert cache.invalidate("model:1*") > 0
    assert cache.get("model:19") is None
    cache.put("x" * 2_000, b"too long to be kept", 60)
    assert found(memories, "model") == []


@pytest.mark.parametrize("key", ["", "a\0b", "\ud800", "x" * 1_001])
def test_what_has_a_key_that_no_store_takes_is_not_kept(memories: Corpus, key: str):
    cache = StoredAnswerCache(memories)
    cache.put(key, b"x", 60)
    assert cache.get(key) is None


@pytest.mark.parametrize(
    "wrong",
    [{"until": "soon"}, {"until": True}, {"value": "é"}, {"value": "="}, {"value": 5}, {"put": []}],
)
def test_what_somebody_else_wrote_is_unknown_and_goes_first(memories: Corpus, wrong: dict):
    cache = StoredAnswerCache(memories, max_entries=2)
    mine = memories.for_principal(Principal("remembered values"))
    known = {"value": "eA==", "until": 9e12, "put": 1.0, **wrong}
    mine.put([Record(id="theirs", kind="remembered value", metadata=known)])
    assert cache.get("theirs") == (b"x" if "put" in wrong else None)
    for number in range(9):
        cache.put(f"{number}", b"x", 60)
    assert cache.get("8") == b"x"
    assert mine.get(["theirs"]) == ()


def test_a_retriever_keeps_its_answers_in_a_store(memories: Corpus, tmp_path: Path):
    memories.put([TEA])
    answers = StoredAnswerCache(Corpus.open_records(tmp_path / "answers"))
    settings = {"retriever_id": "keyword", "cache": {"ttl_seconds": 60}}
    for hits in (0, 1):
        retriever = memories.retriever(settings, answer_cache=answers)
        assert retriever(ContextRetrieverRequest(query="tea", limit=1)).text == TEA.text
        assert retriever.answers is not None
        assert retriever.answers.counts.hits == hits


@pytest.mark.skipif(not Path("/proc/self/fd").is_dir(), reason="counts the open files of Linux")
def test_open_files_do_not_grow_with_the_number_of_tenants(tmp_path: Path):
    with Corpus.open_records(tmp_path / "memories", embedder=None) as memories:
        assembler = ContextAssembler(PLAN, KEYWORDS, corpora={"memories": memories})
        counts = []
        for number in range(120):
            tenant = Principal(f"tenant-{number}")
            memories.for_principal(tenant).put([TEA])
            view = assembler.for_principal(tenant)
            assert view.assemble("ask", inputs={"q": "tea"}).system_prompt == TEA.text
            counts.append(len([*Path("/proc/self/fd").iterdir()]))
        assert counts[-1] <= counts[60]


KEYWORDS = {
    "kb": {"corpus": "memories", "config": {"retriever_id": "keyword", "query": "{input.q}"}}
}


def test_feedback_counts_on_a_block_or_on_all_of_a_document_and_says_whether_there_is_one(
    tmp_path: Path,
):
    with Corpus.open_records(tmp_path) as corpus:
        corpus.put([Record(id="tea", text="Green tea wants water of 80 degrees.")])
        (found,) = corpus.search("tea")
        assert corpus.record_feedback(found.block.id, useful=True)
        assert corpus.record_feedback("tea", useful=False)
        assert not corpus.record_feedback("coffee", useful=True)
        with corpus.store.view(corpus.principal) as view:
            usage = view.usage([found.block.id])[found.block.id]
    assert (usage.helpful, usage.unhelpful) == (1, 1)
