"""A store touches its own files only: what is damaged, foreign or newer is refused and left alone."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from biblicus_context.errors import InputError
from biblicus_context.stores import Principal, StoreError
from biblicus_context.stores.sqlite import open_store
from biblicus_context.stores.sqlite.files.connections import create
from biblicus_context.stores.sqlite.schema.tables import VERSION
from biblicus_context.testing.store_samples import (
    ANN,
    day,
    entry,
    ids,
    search_text,
    seen,
    written,
)

TEXT = "words " * 500


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A store with one workspace, closed."""
    with open_store(tmp_path / "store") as store:
        written(store, *(entry(f"d{n}", TEXT, f"{n}") for n in range(30)))
    return tmp_path / "store"


def database(folder: Path) -> Path:
    """The one database of a store."""
    (path,) = folder.glob("*.db")
    return path


def unsealed(folder: Path) -> Path:
    """The store without the checksums of its databases, as after a writer was killed."""
    for seal in folder.glob("*.db.seal"):
        seal.unlink()
    return folder


def contents(folder: Path) -> dict[str, bytes]:
    """Every file of a folder."""
    return {path.name: path.read_bytes() for path in folder.iterdir() if path.is_file()}


def patched(offset: int, data: bytes) -> Callable[[Path], None]:
    """Overwrites some bytes of a file."""

    def patch(path: Path) -> None:
        with path.open("r+b") as stream:
            stream.seek(offset)
            stream.write(data)

    return patch


def foreign(path: Path) -> None:
    path.unlink()
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("CREATE TABLE t (x)")


def newer(path: Path) -> None:
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA user_version = 99")


def of_another_workspace(path: Path) -> None:
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("UPDATE space SET workspace = 'other'")
        connection.commit()


HARM: dict[str, tuple[Callable[[Path], object], str]] = {
    "empty": (lambda path: path.write_bytes(b""), "the file is empty"),
    "text": (lambda path: path.write_text("dear diary " * 999), "this is not a database"),
    "short text": (lambda path: path.write_text("hi"), "this is not a database"),
    "foreign database": (foreign, "a database of another program"),
    "newer": (newer, f"a newer release, with version 99 .* knows versions up to {VERSION}"),
    "another workspace": (of_another_workspace, "the file of another workspace"),
    "cut short": (lambda path: os.truncate(path, 20_000), "the file is cut short"),
    "damaged header": (patched(16, b"\xff" * 40), "damaged|another program|cut short"),
    "damaged schema": (patched(100, b"\xff" * 4000), "the file is damaged"),
}


@pytest.mark.parametrize("harm", HARM)
def test_a_file_that_cannot_be_used_is_refused_and_left_as_it_is(folder: Path, harm: str):
    act, said = HARM[harm]
    act(database(unsealed(folder)))
    before = contents(folder)
    with open_store(folder) as store:
        for use in (
            lambda who: seen(store, who).info(),
            lambda who: written(store, entry("a", "x"), principal=who),
        ):
            with pytest.raises(StoreError, match=said) as raised:
                use(ANN)
            assert str(database(folder)) in str(raised.value)
        assert seen(store, Principal("another")).state.version == 0
        assert (
            any(str(database(folder)) in each for each in store.check())
            or harm == "another workspace"
        )
    assert contents(folder) == before


def test_a_folder_in_place_of_the_database_is_refused(folder: Path):
    path = database(folder)
    path.unlink()
    path.mkdir()
    with open_store(folder) as store, pytest.raises(StoreError, match="not a regular file"):
        seen(store, ANN).info()


def test_damage_that_is_met_later_is_told_as_damage(folder: Path):
    path = database(folder)
    size = path.stat().st_size
    patched(8192 * 4, b"\xa5" * (size - 8192 * 4))(path)
    with open_store(folder) as store:
        with pytest.raises(StoreError, match="damaged"):
            seen(store, ANN).blocks_of(["d7"])
        with pytest.raises(StoreError, match="damaged"):
            search_text(store, ANN, ["words"])
        assert store.check()


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda path: path.write_text("x"), "a store is a folder, but this is a file"),
        (lambda path: (path.mkdir(), (path / "notes.txt").write_text("x")), "not a store"),
    ],
)
def test_a_place_with_something_else_in_it_is_refused(tmp_path: Path, make, said: str):
    path = tmp_path / "place"
    make(path)
    with pytest.raises(StoreError, match=said):
        open_store(path)
    assert not list(tmp_path.rglob("*.db"))


def test_a_store_is_made_where_nothing_is_and_only_then(tmp_path: Path):
    with pytest.raises(StoreError, match="no store is here"):
        open_store(tmp_path / "new", create=False)
    assert not (tmp_path / "new").exists()
    with open_store(tmp_path / "new" / "deep") as store:
        assert seen(store, ANN).state.version == 0
    with open_store(tmp_path / "new" / "deep", create=False) as store:
        written(store, entry("a", "x"))
    (tmp_path / "empty").mkdir()
    with open_store(tmp_path / "empty") as store:
        written(store, entry("a", "x"))


def test_a_place_where_no_folder_can_be_made_is_told(tmp_path: Path):
    (tmp_path / "file").write_text("x")
    with pytest.raises(StoreError, match="cannot be read or written: Not a directory"):
        open_store(tmp_path / "file" / "store")
    with pytest.raises(InputError, match="keep_seconds: must not be below zero"):
        open_store(tmp_path / "store", keep_seconds=-1)


def test_asking_makes_no_files(tmp_path: Path):
    with open_store(tmp_path) as store:
        search_text(store, ANN, ["x"])
        store.record_usage(ANN, used=["a"], when=day(1))
        store.prepare(ANN)
    assert [path.suffix for path in tmp_path.iterdir()] == [""]


def test_a_closed_store_says_so(folder: Path):
    store = open_store(folder)
    seen(store, ANN).info()
    store.close()
    for use in (
        lambda who: seen(store, who).info(),
        lambda who: written(store, entry("a", "x"), principal=who),
    ):
        with pytest.raises(StoreError, match="the store is closed"):
            use(ANN)


def test_workspaces_are_told_apart_whatever_they_are_called(tmp_path: Path):
    names = ["a", "A", "a/b", "a b", "../a", "a" * 900, "ä", "a.", "CON", ".", "..", "a\n"]
    with open_store(tmp_path) as store:
        for number, name in enumerate(names):
            written(store, entry("d", *"x" * number), principal=Principal(name))
        for number, name in enumerate(names):
            assert seen(store, Principal(name)).info().blocks == number
    assert len(list(tmp_path.glob("*.db"))) == len(names)
    assert not list(tmp_path.parent.glob("*.db"))


def test_more_workspaces_than_are_kept_open_take_turns(tmp_path: Path):
    with open_store(tmp_path) as store:
        for number in range(40):
            written(store, entry("d", f"word{number}"), principal=Principal(f"w{number}"))
        for number in range(40):
            assert ids(search_text(store, Principal(f"w{number}"), [f"word{number}"])) == ["d#0"]


def test_a_newer_version_is_seen_while_it_waits_in_the_log(folder: Path):
    with closing(sqlite3.connect(database(folder))) as connection:
        connection.execute("PRAGMA user_version = 99")
        with open_store(folder) as store, pytest.raises(StoreError, match="a newer release"):
            seen(store, ANN).info()


def test_of_two_that_make_a_workspace_at_once_the_first_one_stays(folder: Path):
    before = contents(folder)
    create(database(folder), "acme")
    assert contents(folder) == before


def test_a_workspace_is_made_where_files_cannot_be_linked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    def refuse(*_: object) -> None:
        raise PermissionError("no links here")

    monkeypatch.setattr(os, "link", refuse)
    with open_store(tmp_path) as store:
        written(store, entry("a", "x"))
    before = contents(tmp_path)
    create(database(tmp_path), "acme")
    assert contents(tmp_path) == before


def test_a_store_says_where_it_is(folder: Path) -> None:
    with open_store(folder) as store:
        assert repr(store) == f"SqliteStore({str(folder)!r})"


def test_a_workspace_whose_file_was_deleted_and_made_again_is_asked_anew(tmp_path: Path):
    with open_store(tmp_path / "store") as store, open_store(tmp_path / "store") as another:
        written(store, entry("a", "old words"), entry("b", "older words"))
        assert ids(search_text(store, ANN, ["words"])) == ["a#0", "b#0"]
        for file in (tmp_path / "store").glob("acme.*"):
            file.unlink()
        assert search_text(store, ANN, ["words"]) == ()
        assert seen(store, ANN).state.version == 0
        written(another, entry("b", "new words"))
        assert ids(search_text(store, ANN, ["words"])) == ["b#0"]
        assert ids(search_text(store, ANN, ["old"])) == []
        written(store, entry("c", "words"))
        assert seen(another, ANN).state.version == seen(store, ANN).state.version == 2
