"""An export has everything that one version shows to one principal, and holds little of it at once."""

from __future__ import annotations

import json
import struct
import tracemalloc
from base64 import b64decode
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings, strategies as st

from biblicus_context.corpora import Corpus
from biblicus_context.corpora.exporting import exported
from biblicus_context.spec.corpus import CorpusSettings
from biblicus_context.stores import (
    Batch,
    Block,
    Document,
    Entry,
    Principal,
    Readers,
    Relation,
    Vectors,
)
from biblicus_context.stores.sqlite import open_store
from biblicus_context.testing.store_samples import block, day, entry

ANN = Principal("acme", user="ann")
ALL = Principal("acme", sees_all=True)
FULL = Document(
    id="a",
    kind="note",
    title="Tea",
    path="tea.md",
    uri="https://example.org/tea",
    text_hash="h",
    created=day(1),
    updated=day(2),
    accessed=day(3),
    confidence=0.5,
    importance=0.0,
    conversation="c",
    tags=("x", "y"),
    metadata={"n": 1, "deep": {"er": [1, None]}},
    readers=Readers(users=frozenset({"ann"}), groups=frozenset({"b", "a"})),
)
BLOCK = Block(
    id="a#0",
    document_id="a",
    position=0,
    text="Grüner Tee",
    tokens=3,
    heading=("One", "Two"),
    lines=(3, 4),
    session="s",
    metadata={"k": "v"},
    indexed_text="tea",
)


@pytest.fixture
def place(tmp_path: Path) -> Path:
    return tmp_path / "store"


def corpus(place: Path, who: Principal) -> Corpus:
    return Corpus("notes", CorpusSettings(root="."), principal=who, store=place)


def lines(place: Path, who: Principal, **options: bool) -> list[dict[str, Any]]:
    with corpus(place, who) as found:
        return [json.loads(json.dumps(line)) for line in exported(found, **options)]


def write(place: Path, *entries: Entry, who: Principal = ALL) -> None:
    with open_store(place) as store:
        store.write(who, Batch(put=entries))


def test_every_field_of_a_document_and_a_block_is_in_its_line(place: Path):
    write(place, Entry(FULL, (BLOCK,), (Vectors.of("tiny", [[1.5, -2.0]]),)))
    head, document, block_ = lines(place, ANN, vectors=True)
    assert head == {
        "type": "corpus", "format": 1, "name": "notes", "workspace": "acme", "version": 1,
        "documents": 1, "blocks": 1, "models": {"tiny": 2},
    }  # fmt: skip
    assert document == {
        "type": "document", "id": "a", "kind": "note", "title": "Tea", "path": "tea.md",
        "uri": "https://example.org/tea", "text_hash": "h",
        "created": "2024-01-01T00:00:00+00:00", "updated": "2024-01-02T00:00:00+00:00",
        "accessed": "2024-01-03T00:00:00+00:00", "confidence": 0.5, "importance": 0.0,
        "conversation": "c", "tags": ["x", "y"], "metadata": {"n": 1, "deep": {"er": [1, None]}},
        "readers": {"users": ["ann"], "groups": ["a", "b"]},
    }  # fmt: skip
    data = block_.pop("vectors")["tiny"]
    assert struct.unpack("<2f", b64decode(data)) == (1.5, -2.0)
    assert block_ == {
        "type": "block", "id": "a#0", "document": "a", "position": 0, "text": "Grüner Tee",
        "tokens": 3, "heading": ["One", "Two"], "lines": [3, 4], "session": "s",
        "metadata": {"k": "v"}, "indexed_text": "tea",
    }  # fmt: skip
    assert "vectors" not in lines(place, ANN)[2]


def test_a_block_without_an_embedding_has_none(place: Path):
    write(place, entry("a", "x", vectors=[[1, 0]]), entry("b", "x"))
    found = [each for each in lines(place, ALL, vectors=True) if each["type"] == "block"]
    assert ["vectors" in each for each in found] == [True, False]


def test_what_people_made_of_documents_is_exported_too(place: Path):
    write(place, entry("a", "x"), entry("b", "x"))
    with open_store(place) as store:
        store.write(
            ALL, Batch(relate=(Relation("a", "b", "cites", 0.5), Relation("a", "b", "near")))
        )
        store.record_usage(ALL, used=["b#0"], when=day(3))
        store.record_usage(ALL, helpful=["b#0"])
    assert [each for each in lines(place, ALL) if each["type"] == "relation"] == [
        {"type": "relation", "source": "a", "target": "b", "relation": "cites", "weight": 0.5},
        {"type": "relation", "source": "a", "target": "b", "relation": "near", "weight": 1.0},
    ]
    use = {each["id"]: each.get("use") for each in lines(place, ALL) if each["type"] == "block"}
    assert use == {
        "a#0": None,
        "b#0": {"used": 1, "helpful": 1, "unhelpful": 0, "last_used": "2024-01-03T00:00:00+00:00"},
    }


def test_nothing_is_exported_that_the_principal_may_not_read(place: Path):
    write(place, Entry(FULL, (BLOCK,)), entry("b", "for everybody"))
    with open_store(place) as store:
        store.write(ALL, Batch(relate=(Relation("b", "a", "cites"),)))
    write(place, entry("theirs", "secret"), who=Principal("other", sees_all=True))
    for who, seen in (
        (ANN, ["a", "b"]),
        (Principal("acme"), ["b"]),
        (Principal("acme", groups={"a"}), ["a", "b"]),
        (ALL, ["a", "b"]),
        (Principal("nobody"), []),
    ):
        head, *found = lines(place, who)
        assert [each["id"] for each in found if each["type"] == "document"] == seen
        assert {each["document"] for each in found if each["type"] == "block"} == {*seen}
        assert (head["documents"], head["blocks"]) == (len(seen), len(seen))
        assert ("relation" in {each["type"] for each in found}) == (seen == ["a", "b"])


def test_an_export_is_of_one_version_whatever_is_added_meanwhile(place: Path):
    write(place, *(entry(f"d{n:03}", f"old {n}") for n in range(250)))
    with corpus(place, ALL) as found:
        going = exported(found)
        first = [next(going) for _ in range(50)]
        write(place, *(entry(f"a{n:03}", f"new {n}") for n in range(0, 250, 2)), entry("x", "new"))
        rest = [*going]
    texts = [line["text"] for line in first + rest if line["type"] == "block"]
    assert texts == [f"old {n}" for n in range(250)]


def test_an_export_has_nothing_of_what_is_removed_meanwhile(place: Path):
    write(place, *(entry(f"d{n:03}", f"old {n}") for n in range(250)))
    with corpus(place, ALL) as found:
        going = exported(found)
        assert next(going)["version"] == 1
        with open_store(place) as other:
            other.write(ALL, Batch(remove=("d249",)))
        documents = [line["id"] for line in going if line["type"] == "document"]
    assert documents == [f"d{n:03}" for n in range(249)]


@settings(max_examples=10, deadline=None)
@given(sizes=st.lists(st.integers(0, 230), max_size=4))
def test_every_block_is_there_once_and_in_order(tmp_path_factory, sizes: list[int]):
    place = tmp_path_factory.mktemp("any") / "store"
    made = [
        Entry(Document(id=f"d{n}"), tuple(block(f"d{n}", at, f"{at}") for at in range(size)))
        for n, size in enumerate(sizes)
    ]
    write(place, *made)
    blocks = [each for each in lines(place, ALL, vectors=True) if each["type"] == "block"]
    assert [each["id"] for each in blocks] == [
        f"d{n}#{at}" for n, size in enumerate(sizes) for at in range(size)
    ]


def test_the_memory_of_an_export_does_not_grow_with_the_corpus(place: Path):
    def peak() -> int:
        with corpus(place, ALL) as found:
            tracemalloc.start()
            for _ in exported(found, vectors=True):
                pass
            _, most = tracemalloc.get_traced_memory()
            tracemalloc.stop()
        return most

    write(place, *many(0, 200))
    peak()
    small = peak()
    for start in range(200, 2_000, 200):
        write(place, *many(start, start + 200))
    assert peak() < small + 500_000


def many(first: int, last: int) -> Iterator[Entry]:
    """Documents of some kilobytes each."""
    for number in range(first, last):
        yield entry(f"d{number:05}", f"words {number} " * 500, vectors=[[1.0, number]])


def test_documents_are_listed_page_by_page(place: Path):
    write(place, *(entry(f"d{n:03}", "x") for n in range(201)))
    with corpus(place, ALL) as found:
        assert [each.id for each in found.documents()] == [f"d{n:03}" for n in range(201)]
