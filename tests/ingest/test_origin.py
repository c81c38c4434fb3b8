"""Every block knows where it comes from."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, strategies as st

from biblicus_context import Corpus, Record
from biblicus_context.errors import InputError
from biblicus_context.ingest.records import RecordPart
from biblicus_context.retrieval import Origin
from biblicus_context.retrieval.packs.facts import facts_of
from biblicus_context.retrieval.packs.pack import ContextPackBlock
from biblicus_context.retrieval.requests.request import ContextRetrieverRequest

names = st.none() | st.text(min_size=1, max_size=9)
origins = st.builds(
    Origin,
    session=names,
    messages=st.lists(st.text(min_size=1, max_size=9), max_size=3).map(tuple),
    file=names,
    commit=names,
)


def test_a_file_names_itself_and_a_turn_its_session_and_message(tmp_path: Path):
    root = tmp_path / "notes"
    root.mkdir()
    (root / "tea.md").write_text("# Tea\n\nGreen tea.\n", "utf-8")
    turn = {"role": "user", "content": "Is there bread?", "session": "monday", "id": 7}
    (root / "talk.jsonl").write_text(json.dumps(turn), "utf-8")
    with Corpus.open(root) as corpus:
        corpus.ingest()
        (tea, *_) = corpus.search("tea")
        (bread, *_) = corpus.search("bread")
    assert tea.origin == Origin(file="tea.md")
    assert bread.origin == Origin(session="monday", messages=("7",), file="talk.jsonl")


def test_a_record_says_it_and_a_part_says_it_more_precisely(tmp_path: Path):
    whole = Origin(session="s1", messages=("1", "2"), file="a.py", commit="abc")
    parts = (RecordPart(text="tea"), RecordPart(text="bread", origin=Origin(messages=("2",))))
    with Corpus.open_records(tmp_path / "said") as said:
        said.put([Record(id="m1", parts=parts, origin=whole)])
        found = {hit.block.text: hit.origin for hit in said.search("tea bread")}
        pack = said.retriever()(ContextRetrieverRequest(query="tea bread", limit=9))
    assert found == {"tea": whole, "bread": replace(whole, messages=("2",))}
    assert {each.text: facts_of(each).origin for each in pack.blocks} == found


@given(origins)
def test_metadata_keeps_an_origin_as_it_is(origin: Origin):
    assert Origin.of(json.loads(json.dumps(origin.as_metadata()))) == origin
    assert bool(origin) == bool(origin.as_metadata())
    block = ContextPackBlock(
        evidence_item_id="a", text="x", metadata={"origin": origin.as_metadata()}
    )
    assert facts_of(block).origin == origin


@given(
    st.recursive(
        st.none() | st.integers() | st.text(),
        lambda one: (
            st.lists(one) | st.dictionaries(st.sampled_from(["session", "messages", "file"]), one)
        ),
    )
)
def test_whatever_metadata_holds_is_an_origin_or_none(said: object):
    origin = Origin.of(said)
    assert len(origin.messages) <= 50
    assert Origin.of(origin.as_metadata()) == origin


def test_an_origin_that_is_no_origin_is_refused(tmp_path: Path):
    with Corpus.open_records(tmp_path / "said") as said:
        bad = Record(id="m1", text="tea", origin={"session": "s1"})  # type: ignore[arg-type]
        with pytest.raises(InputError, match=r"records\[0\]\.origin: an Origin is expected"):
            said.put([bad])


def test_an_origin_is_read_as_it_was_put_and_stays_until_it_is_changed(tmp_path: Path):
    origin = Origin(session="s1", messages=("1",))
    parts = (RecordPart(text="tea", origin=Origin(messages=("2",))),)
    records = [
        Record(id="a", text="tea", origin=origin, metadata={"n": 1}),
        Record(id="b", parts=parts, origin=origin),
    ]
    with Corpus.open_records(tmp_path / "said") as said:
        said.put(records)
        assert [*said.get(["a", "b"])] == records
        said.update("a", metadata={"n": 2})
        said.update("a", title="Tea")
        assert said.get(["a"]) == (replace(records[0], metadata={"n": 2}, title="Tea"),)
        said.update("a", origin=Origin(commit="abc"))
        assert said.get(["a"])[0].origin == Origin(commit="abc")
        assert said.get(["a"])[0].metadata == {"n": 2}
