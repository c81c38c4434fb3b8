"""The file of embeddings beside the database: it speeds searches up, and is never needed."""

from __future__ import annotations

import json
import math
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from biblicus_context.stores import Batch, Vectors
from biblicus_context.stores.sqlite import open_store
from biblicus_context.testing.store_contract.by_id import vector_scores
from biblicus_context.testing.store_samples import (
    ANN,
    MODEL,
    entry,
    ids,
    query,
    search_vectors,
    seen,
    written,
)

ROWS = [[float(n), 10.0 - n] for n in range(10)]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A store whose embeddings are in a file."""
    with open_store(tmp_path) as store:
        written(store, entry("a", *(f"text {n}" for n in range(10)), vectors=ROWS))
        for _ in range(2):
            store.prepare(ANN)
    return tmp_path


def file(folder: Path) -> Path:
    """The file of embeddings."""
    (path,) = folder.glob("*.vectors")
    return path


def header(**changes: object) -> Callable[[Path], None]:
    """Changes what the file says of itself."""

    def change(path: Path) -> None:
        data = path.read_bytes()
        fields = {**json.loads(data[:4096]), **changes}
        path.write_bytes(json.dumps(fields).encode().ljust(4096) + data[4096:])

    return change


def found(folder: Path) -> list[tuple[str, float]]:
    """What a new process finds."""
    with open_store(folder) as store:
        hits = search_vectors(store, ANN, query(3, 7))
    return [(hit.block_id, hit.score) for hit in hits]


def on_circle(number: int) -> list[float]:
    """One of five thousand directions."""
    angle = math.tau * number / 5_000
    return [math.cos(angle), math.sin(angle)]


HARM: dict[str, Callable[[Path], object]] = {
    "gone": lambda path: path.unlink(),
    "empty": lambda path: path.write_bytes(b""),
    "text": lambda path: path.write_text("x" * 10_000),
    "cut short": lambda path: path.write_bytes(path.read_bytes()[:-3]),
    "a list": lambda path: path.write_bytes(b"[]".ljust(9_000)),
    "a folder": lambda path: (path.unlink(), path.mkdir()),
    "of another store": header(stamp=[1, "other", 1, 2]),
    "of another format": header(stamp=[0, "", 1, 2]),
    "other rows": header(rows=9),
    "no rows": header(rows=0),
    "rows that are no number": header(rows="many"),
}


@pytest.mark.parametrize("harm", HARM)
def test_a_file_that_does_not_fit_is_not_trusted(folder: Path, harm: str):
    before = found(folder)
    HARM[harm](file(folder))
    assert found(folder) == before
    with open_store(folder) as store:
        store.prepare(ANN)
        assert ids(search_vectors(store, ANN, query(3, 7), limit=1)) == ["a#3"]
    assert found(folder) == before


def test_a_file_of_another_store_is_not_trusted(folder: Path, tmp_path_factory: Any):
    before, other = found(folder), tmp_path_factory.mktemp("other")
    with open_store(other) as store:
        written(store, entry("a", *(f"text {n}" for n in range(10)), vectors=ROWS[::-1]))
        store.prepare(ANN)
    file(folder).write_bytes(file(other).read_bytes())
    assert found(folder) == before


def test_what_is_written_after_the_file_is_found_as_well(folder: Path):
    with open_store(folder) as store:
        assert ids(search_vectors(store, ANN, query(3, 7), limit=1)) == ["a#3"]
        written(store, entry("b", "new", vectors=[[3, 7.1]]))
        assert ids(search_vectors(store, ANN, query(3, 7.1), limit=1)) == ["b#0"]
        store.write(ANN, Batch(remove=("a",)))
        assert ids(search_vectors(store, ANN, query(3, 7))) == ["b#0"]
        assert vector_scores(store, ANN, query(3, 7.1)) == pytest.approx({"b#0": 1.0})
    assert [each for each, _ in found(folder)] == ["b#0"]


def test_many_new_embeddings_make_a_new_file(folder: Path):
    size = file(folder).stat().st_size
    with open_store(folder) as store:
        texts = [f"t{n}" for n in range(5_000)]
        written(store, entry("b", *texts, vectors=[on_circle(n) for n in range(5_000)]))
        assert file(folder).stat().st_size == size
        assert ids(search_vectors(store, ANN, query(*on_circle(77)), limit=1)) == ["b#77"]
        assert file(folder).stat().st_size > size + 5_000 * 8
        assert ids(search_vectors(store, ANN, query(*on_circle(77)), limit=1)) == ["b#77"]
    assert not list(folder.glob(".draft*"))


def test_a_score_does_not_depend_on_what_else_is_there(tmp_path: Path):
    dice = random.Random(5)

    def rows(count: int) -> list[list[float]]:
        return [[dice.gauss(0, 1) for _ in range(37)] for _ in range(count)]

    wanted = Vectors.of(MODEL, rows(1))
    with open_store(tmp_path) as store:
        version = written(store, entry("a", *("x" for _ in range(301)), vectors=rows(301)))
        before = search_vectors(store, ANN, wanted, limit=999)
        written(store, entry("b", *("x" for _ in range(700)), vectors=rows(700)))
        assert search_vectors(store, ANN, wanted, limit=999, at=version) == before
        scores = {hit.block_id: hit.score for hit in before}
        assert vector_scores(store, ANN, wanted, at=version) == scores
        store.prepare(ANN)
    with open_store(tmp_path) as store:
        assert search_vectors(store, ANN, wanted, limit=999, at=version) == before
        for each in ("a#0", "a#150", "a#300"):
            assert vector_scores(store, ANN, wanted)[each] == scores[each]


def test_a_place_that_takes_no_file_costs_only_time(tmp_path: Path):
    with open_store(tmp_path) as store:
        written(store, entry("a", "x", vectors=[[1, 0]]))
        (database,) = tmp_path.glob("*.db")
        (tmp_path / f"{database.stem}.1.vectors").mkdir()
        for _ in range(2):
            store.prepare(ANN)
            assert ids(search_vectors(store, ANN, query(1, 0))) == ["a#0"]


def test_each_model_has_its_own_embeddings(tmp_path: Path):
    with open_store(tmp_path) as store:
        one = entry("a", "x", vectors=[[1, 0]])
        other = Vectors.of("wide", [[0.0, 1.0, 0.0]])
        written(store, one.__class__(one.document, one.blocks, (*one.vectors, other)))
        written(store, entry("b", "y", vectors=[[0, 1]]))
        store.prepare(ANN)
        assert ids(search_vectors(store, ANN, query(1, 0))) == ["a#0", "b#0"]
        assert ids(search_vectors(store, ANN, Vectors.of("wide", [[0.0, 1.0, 0.0]]))) == ["a#0"]
        assert set(seen(store, ANN).info().vectors) == {"tiny", "wide"}
    assert len(list(tmp_path.glob("*.vectors"))) == 2
