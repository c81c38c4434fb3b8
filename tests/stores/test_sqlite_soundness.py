"""A check finds what is damaged, and changes nothing."""

from __future__ import annotations

import json
import os
import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

from biblicus_context.stores import Principal, StoreError
from biblicus_context.stores.sqlite import open_store
from biblicus_context.testing.store_samples import (
    ANN,
    ONLY_BOB,
    entry,
    query,
    search_text,
    search_vectors,
    seen,
    written,
)
from tests.permissions import permissions_hold
from tests.stores.older import take_back
from tests.stores.test_sqlite_files import contents, database, unsealed

TEXT = "words " * 500


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A store with one workspace and a file of its embeddings, closed."""
    with open_store(tmp_path / "store") as store:
        for n in range(30):
            readers = {"readers": ONLY_BOB} if n == 7 else {}
            vectors = [[1, n], [n + 1, 1]]
            written(store, entry(f"d{n}", TEXT, f"{n}", tags=("t",), vectors=vectors, **readers))
        store.prepare(ANN)
    return unsealed(tmp_path / "store")


@contextmanager
def changed(folder: Path) -> Iterator[sqlite3.Connection]:
    """A connection that does to a database what no release does."""
    with closing(sqlite3.connect(database(folder))) as connection:
        yield connection
        connection.commit()


def problems(folder: Path) -> str:
    """What a check says; it changes nothing."""
    before = contents(folder)
    with open_store(folder) as store:
        found = store.check()
    assert contents(folder) == before
    return "\n".join(found)


def vectors_file(folder: Path) -> Path:
    (path,) = folder.glob("*.vectors")
    return path


def test_a_check_finds_rows_that_do_not_belong_together(folder: Path):
    with closing(sqlite3.connect(database(folder))) as connection:
        connection.execute("DELETE FROM texts WHERE block = 3")
        connection.execute("DELETE FROM documents WHERE row = 2")
        connection.execute("INSERT INTO vectors VALUES ((1 << 40) + 999, NULL, x'00')")
        connection.commit()
    with open_store(folder) as store:
        problems = "\n".join(store.check())
    assert "1 blocks without text" in problems
    assert "2 blocks without a document" in problems
    assert "1 embeddings without a block" in problems
    assert "1 embeddings of another length than their model's" in problems


@pytest.mark.parametrize(
    ("harm", "blocks"),
    [
        ("DELETE FROM columns WHERE last = 60", 2),
        ("DELETE FROM columns WHERE last = 30", 2),
        ("UPDATE columns SET data = substr(data, 1, 56) WHERE last = 4", 1),
        (
            "UPDATE columns SET data = CAST(zeroblob(56) || substr(data, 57) AS BLOB) WHERE last = 6",
            1,
        ),
        ("UPDATE columns SET data = zeroblob(112) WHERE last = 8", 2),
    ],
)
def test_a_check_finds_what_is_packed_otherwise_than_it_stands(
    folder: Path, harm: str, blocks: int
):
    with changed(folder) as connection:
        connection.execute(harm)
    assert f"{blocks} blocks whose packed columns differ from their rows" in problems(folder)


@pytest.mark.parametrize("data", ["x'00'", "x''", "zeroblob(112)", "randomblob(560)"])
def test_what_is_packed_and_damaged_is_told_by_a_search_and_by_a_check(folder: Path, data: str):
    with changed(folder) as connection:
        connection.execute(f"UPDATE columns SET data = {data} WHERE last = 10")
    assert "packed columns differ from their rows" in problems(folder)
    with open_store(folder) as store, pytest.raises(StoreError, match="the file is damaged"):
        search_text(store, ANN, ["words"])


@pytest.mark.parametrize(
    "harm",
    [
        "UPDATE documents SET row = 1 << 50 WHERE row = 3",
        "UPDATE documents SET row = -3 WHERE row = 3",
        "DELETE FROM blocks WHERE row = 3",
        "UPDATE vectors SET data = x'00' WHERE row & 0xFFFF = 3",
        "UPDATE recent_words SET parts = x'00'",
        "UPDATE recent_words SET stems = zeroblob(4)",
    ],
)
def test_damage_that_a_search_meets_is_told_as_damage(folder: Path, harm: str):
    with changed(folder) as connection:
        connection.execute(harm)
    vectors_file(folder).unlink()
    with open_store(folder) as store:
        with pytest.raises(StoreError, match="the file is damaged"):
            _ = *search_text(store, ANN, ["words"]), *search_vectors(store, ANN, query(1, 1))
        assert store.check()


@pytest.mark.parametrize(
    "harm",
    [
        "UPDATE texts SET heading = 'no JSON' WHERE block = 3",
        "UPDATE documents SET created = 1 << 62 WHERE row = 2",
    ],
)
def test_damage_that_a_read_meets_is_told_as_damage(folder: Path, harm: str):
    with changed(folder) as connection:
        connection.execute(harm)
    with open_store(folder) as store, pytest.raises(StoreError, match="the file is damaged"):
        _ = *seen(store, ANN).list_documents(), *seen(store, ANN).blocks_of(["d1"])


def test_damage_that_is_no_text_any_more_is_told_as_damage(folder: Path):
    path = database(folder)
    path.write_bytes(path.read_bytes().replace(b"CREATE TABLE tags", b"CREATE TABL\x9b tags"))
    with open_store(folder) as store:
        with pytest.raises(StoreError, match="the file is damaged"):
            search_text(store, ANN, ["words"])
        assert "the file is damaged" in "".join(store.check())


def test_a_check_finds_what_the_database_finds(folder: Path):
    with closing(sqlite3.connect(database(folder))) as connection:
        connection.execute("PRAGMA writable_schema = ON")
        connection.execute(
            "UPDATE sqlite_schema SET sql = replace(sql, 'uri TEXT,', 'uri TEXT NOT NULL,')"
        )
        connection.commit()
    with open_store(folder) as store:
        assert "NULL value in documents.uri" in "".join(store.check())


def test_a_check_finds_a_damaged_index(folder: Path):
    with closing(sqlite3.connect(database(folder))) as connection:
        connection.execute("DELETE FROM spellings_data WHERE id > 10")
        connection.commit()
    with open_store(folder) as store:
        assert "the index of spellings is damaged" in "".join(store.check())


BROKEN = {
    "DELETE FROM blocks WHERE row = 3": "1 texts of no block",
    "DELETE FROM blocks WHERE row = 4": "1 blocks in the index of words that do not exist",
    "DELETE FROM documents WHERE row = 3": "1 tags of no document",
    "DELETE FROM documents WHERE id = 'd7'": "1 readers of no document",
    "UPDATE blocks SET words = 99 WHERE row = 3": "1 blocks with other words in the index than in their table",
    "UPDATE recent_words SET parts = x'00' WHERE first = 1": "1 rows of the index of words that are malformed",
    "DELETE FROM stems WHERE row = 1": "2 rows of the index of words that are malformed",
    "DELETE FROM models": "60 embeddings of another length than their model's",
    "UPDATE space SET blocks = 58": "2 blocks with row numbers that were never assigned",
    "UPDATE space SET workspace = 'other'": "the file of another workspace",
}


@pytest.mark.parametrize("statement", BROKEN)
def test_a_check_finds_what_no_batch_leaves_behind(folder: Path, statement: str):
    with changed(folder) as connection:
        connection.execute(statement)
    found = problems(folder)
    assert f"{database(folder)}: {BROKEN[statement]}" in found


def shorter(path: Path) -> None:
    os.truncate(path, path.stat().st_size - 8)


def one_bit_turned(path: Path) -> None:
    data = bytearray(path.read_bytes())
    data[4096 + 7 * 4 + 3] ^= 0x40
    path.write_bytes(data)


def of_another_database(path: Path) -> None:
    data = path.read_bytes()
    header = json.loads(data[:4096])
    header["stamp"][1] = "another"
    path.write_bytes(json.dumps(header).encode().ljust(4096) + data[4096:])


def without_its_second_row(path: Path) -> None:
    data = path.read_bytes()
    header = json.loads(data[:4096])
    rows, blocks = data[4096 : 4096 + 60 * 8], data[4096 + 60 * 8 :]
    header["rows"] -= 1
    kept = rows[:8] + rows[16:] + blocks[:8] + blocks[16:]
    path.write_bytes(json.dumps(header).encode().ljust(4096) + kept)


@pytest.mark.parametrize(
    "harm", [shorter, one_bit_turned, of_another_database, without_its_second_row]
)
def test_a_file_of_embeddings_that_differs_from_the_database_is_named(folder: Path, harm):
    assert problems(folder) == ""
    harm(vectors_file(folder))
    found = problems(folder)
    assert found.startswith(f"{vectors_file(folder)}: its embeddings are not those of the database")
    vectors_file(folder).unlink()
    assert problems(folder) == ""
    with open_store(folder) as store:
        assert search_vectors(store, ANN, query(1, 1))


def test_a_file_of_embeddings_may_lag_behind_the_database(folder: Path):
    with open_store(folder) as store:
        written(store, entry("new", "x", vectors=[[3, 4]]), entry("d3", "y", vectors=[[3, 5]]))
    assert problems(folder) == ""


def test_a_file_that_may_not_be_written_is_checked_as_far_as_that_goes(
    folder: Path, tmp_path: Path
):
    copy = tmp_path / "copy"
    shutil.copytree(folder, copy)
    database(copy).chmod(0o444)
    with permissions_hold(), open_store(copy) as store:
        assert store.check() == ()
    with changed(copy) as connection:
        connection.execute("DELETE FROM models")
    with permissions_hold(), open_store(copy) as store:
        assert "of another length than their model's" in "".join(store.check())


def test_every_workspace_is_checked(folder: Path):
    with open_store(folder) as store:
        written(store, entry("a", "x"), principal=Principal("zzz"))
    for path in folder.glob("zzz*.db"):
        path.write_bytes(b"")
    assert "the file is empty" in problems(folder)


def test_an_older_file_is_checked_and_stays_of_its_version(folder: Path):
    with changed(folder) as connection:
        take_back(connection, 1)
    assert problems(folder) == ""
    with changed(folder) as connection:
        assert connection.execute("PRAGMA user_version").fetchone() == (1,)
        connection.execute("DELETE FROM texts WHERE block = 3")
    assert "1 blocks without text" in problems(folder)


def test_a_check_finds_that_the_checksums_were_cut_anywhere(tmp_path: Path):
    """Also where only the end of their last line is missing."""
    with open_store(tmp_path) as store:
        written(store, entry("a", "tea"))
    (seal,) = tmp_path.glob("*.db.seal")
    sound = seal.read_bytes()
    with open_store(tmp_path) as store:
        for length in range(1, len(sound)):
            seal.write_bytes(sound[:length])
            assert store.check() != (), length
        seal.write_bytes(sound)
        assert store.check() == ()
