"""A collection is read strictly, and a mistake is named with its line."""

from __future__ import annotations

from pathlib import Path

import pytest

from biblicus_context.errors import LoadError
from biblicus_context.evaluation import CollectionRecord, load_collection
from tests.evaluation.conftest import QUERIES, RECORDS, write


def asked(**changes: object) -> dict[str, object]:
    return {"id": "1", "text": "x", "gold": ["tea"], **changes}


def test_records_and_queries_are_read_in_order(folder: Path):
    collection = load_collection(folder)
    assert collection.name == "sample"
    assert [each.id for each in collection.records] == [each["id"] for each in RECORDS]
    assert collection.queries[2].collection == "friday"


def test_an_id_may_be_a_number(tmp_path: Path):
    write(tmp_path, [{"id": 7, "text": "x"}], [{"id": 1, "text": "x", "gold": [7]}])
    assert load_collection(tmp_path).queries[0].gold == ("7",)


@pytest.mark.parametrize(
    ("records", "queries", "problem"),
    [
        ([{"id": "a"}], QUERIES, r"docs.jsonl:1: text: Field required"),
        ([RECORDS[0], "no"], QUERIES, r"docs.jsonl:3: Input should be an object"),
        (RECORDS, [asked(gold=[])], r"queries.jsonl:1: gold: Tuple should have"),
        (RECORDS, [asked(gold=["?"])], r"queries.jsonl:1: no record has this gold id: found '\?'"),
        ([RECORDS[0], RECORDS[0]], QUERIES, r"docs.jsonl:3: duplicate id: found 'tea'"),
        (RECORDS, [asked(), asked()], r"queries.jsonl:3: .*found '1'. Line 1 has it too"),
        (
            RECORDS,
            [asked(collection="fryday")],
            r"queries.jsonl:1: no record is of this collection: found 'fryday'.*mean 'friday'",
        ),
        (
            RECORDS,
            [asked(gold=["monday:1"], collection="friday")],
            r"queries.jsonl:1: this gold is not in the collection of the query, 'friday': found 'monday:1'",
        ),
        (
            RECORDS,
            [asked(gold=["tea"], collection="friday")],
            r"this gold is not in .* found 'tea'",
        ),
        ([{"id": "a\0b", "text": "x"}], QUERIES, r"docs.jsonl:1: id: a name must not contain NUL"),
        (
            [{"id": "a", "text": "x", "metadata": {"session": "\0"}}],
            QUERIES,
            r"docs.jsonl:1: metadata: session: a name must not contain NUL",
        ),
    ],
)
def test_an_invalid_row_is_refused(
    tmp_path: Path, records: list[object], queries: list[object], problem: str
):
    write(tmp_path, records, queries)
    with pytest.raises(LoadError, match=problem):
        load_collection(tmp_path)


def test_files_may_begin_with_a_byte_order_mark(folder: Path):
    plain = load_collection(folder)
    for file in folder.glob("*.jsonl"):
        file.write_bytes(b"\xef\xbb\xbf" + file.read_bytes())
    assert load_collection(folder) == plain


def test_records_are_looked_at_once_however_many_queries_there_are(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    looked = []
    said = CollectionRecord.metadata_text
    monkeypatch.setattr(
        CollectionRecord,
        "metadata_text",
        lambda self, name: looked.append(name) or said(self, name),
    )
    write(tmp_path, RECORDS, [asked(id=number) for number in range(50)])
    load_collection(tmp_path)
    assert looked == ["collection"] * len(RECORDS)


def test_a_folder_that_is_no_collection_is_refused(tmp_path: Path):
    with pytest.raises(LoadError, match=r"docs.jsonl: cannot be read: No such file"):
        load_collection(tmp_path)
    (tmp_path / "docs.jsonl").write_bytes(b"\xff")
    with pytest.raises(LoadError, match=r"docs.jsonl:1: not a text: byte 0 is not UTF-8"):
        load_collection(tmp_path)


def test_what_is_no_json_or_no_text_is_said_with_its_place(folder: Path):
    for line, said in (
        (b'{"id": "a" "text"', r"4:12: Invalid JSON"),
        (b'"\xe9"', r"4: not a text"),
    ):
        (folder / "docs.jsonl").write_bytes(b'{"id": "b", "text": "x"}\r\n\n\n' + line)
        with pytest.raises(LoadError, match=rf"docs\.jsonl:{said}") as refused:
            load_collection(folder)
        assert "line 1" not in str(refused.value)
