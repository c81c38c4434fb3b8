"""A collection is read strictly, and a mistake is named with its line."""

from __future__ import annotations

from pathlib import Path

import pytest

from biblicus_context.errors import InputError, LoadError
from biblicus_context.evaluation import load_collection
from tests.evaluation.conftest import QUERIES, RECORDS, write


def test_records_and_queries_are_read_in_order(folder: Path):
    collection = load_collection(folder)
    assert collection.name == "sample"
    assert [each.id for each in collection.records] == [each["id"] for each in RECORDS]
    assert collection.queries[2].collection == "friday"


def test_an_id_may_be_a_number(tmp_path: Path):
    write(tmp_path, [{"id": 7, "text": "x"}], [{"id": 1, "text": "x", "gold": [7]}])
    assert load_collection(tmp_path).queries[0].gold == ("7",)


@pytest.mark.parametrize(
    ("records", "queries", "error", "problem"),
    [
        ([{"id": "a"}], QUERIES, LoadError, r"docs.jsonl:1: text: Field required"),
        ([RECORDS[0], "no"], QUERIES, LoadError, r"docs.jsonl:3: Input should be an object"),
        (RECORDS, [{"id": "1", "text": "x", "gold": []}], LoadError, r"gold: Tuple should have"),
        (RECORDS, [{"id": "1", "text": "x", "gold": ["?"]}], InputError, r"query '1': gold that"),
        ([RECORDS[0], RECORDS[0]], QUERIES, InputError, "two records have the same id"),
    ],
)
def test_a_row_that_cannot_be_meant_is_refused(
    tmp_path: Path, records: list[object], queries: list[object], error: type, problem: str
):
    write(tmp_path, records, queries)
    with pytest.raises(error, match=problem):
        load_collection(tmp_path)


def test_a_folder_that_is_no_collection_is_refused(tmp_path: Path):
    with pytest.raises(LoadError, match=r"docs.jsonl: cannot be read: No such file"):
        load_collection(tmp_path)
    (tmp_path / "docs.jsonl").write_bytes(b"\xff")
    with pytest.raises(LoadError, match=r"not a text: byte 0 is not UTF-8"):
        load_collection(tmp_path)
