"""A corpus is copied between any two stores, goes on after an interruption, and is compared."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from biblicus_context import Corpus, Record
from biblicus_context.corpora.copying import copied
from biblicus_context.stores import Batch, Principal, Readers, Relation
from tests.stores.postgres import drop, new_schema, url

WHO = Principal("acme", sees_all=True)


@pytest.fixture(scope="module")
def server() -> Iterator[str]:
    schema = new_schema()
    with pytest.MonkeyPatch.context() as patched:
        patched.setenv("BIBLICUS_CONTEXT_CONNECTION_COPIES", url(schema))
        yield "connection:copies"
    drop(schema)


def filled(place: str | Path) -> Corpus:
    corpus = Corpus.open_records(place, name="notes", principal=WHO)
    corpus.put(
        Record(
            id=f"n{number}",
            text=f"Note {number} about tea and rye.",
            title=f"T{number}",
            metadata={"number": number},
            readers=Readers(users=frozenset({"ann", "bob"})) if number % 2 else Readers(),
        )
        for number in range(250)
    )
    corpus.store.write(WHO, Batch(relate=(Relation("n1", "n2", "cites", 0.5),)))
    return corpus


def all_of(corpus: Corpus) -> list[object]:
    hits = corpus.search("tea and note 7", limit=20)
    with corpus.index.view() as view:
        return [
            [(each.block.id, each.score) for each in hits],
            view.list_documents(limit=300),
            view.relations(["n1"]),
            view.info().vectors,
        ]


def test_a_copy_on_a_server_and_back_is_the_same(server: str, tmp_path: Path):
    """Documents, readers, embeddings, relations, and what is found with which score."""
    with (
        filled(tmp_path / "one") as first,
        Corpus.open_records(server, name="notes", principal=WHO) as second,
        Corpus.open_records(tmp_path / "two", name="notes", principal=WHO) as third,
    ):
        assert copied(first, second).written == 250
        assert copied(second, third).documents == 250
        assert all_of(first) == all_of(second) == all_of(third)
        assert copied(first, second).written == 0


def test_a_copy_that_was_interrupted_goes_on(tmp_path: Path):
    """What is equal already is not written again."""
    with (
        filled(tmp_path / "one") as first,
        Corpus.open_records(tmp_path / "two", name="notes", principal=WHO) as second,
    ):

        def stop(documents: int) -> None:
            raise KeyboardInterrupt

        with pytest.raises(KeyboardInterrupt):
            copied(first, second, stop)
        done = copied(first, second)
        assert 0 < done.written < done.documents == 250
