"""A store is removed whole, and only if its folder holds nothing else."""

from __future__ import annotations

from pathlib import Path

import pytest

from biblicus_context.stores import Principal, StoreError
from biblicus_context.stores.marker import MARKER
from biblicus_context.stores.sqlite import open_store
from biblicus_context.stores.sqlite.files.removal import remove
from biblicus_context.testing.store_samples import (
    ANN,
    entry,
    search_text,
    seen,
    written,
)

NAMES = ["acme", "ACME & Söhne", "___", "a" * 300]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    with open_store(tmp_path / "store") as store:
        for name in NAMES:
            written(store, entry("a", "x", vectors=[[1, 0]]), principal=Principal(name))
        store.prepare(ANN)
    return tmp_path / "store"


def test_all_files_of_all_workspaces_go_and_those_around_them_stay(folder: Path):
    beside = folder.parent / "notes.txt"
    beside.write_text("mine")
    assert len([*folder.iterdir()]) > len(NAMES)
    remove(folder)
    assert [*folder.parent.iterdir()] == [beside]


def test_what_a_killed_process_left_goes_as_well(folder: Path):
    database = min(folder.glob("*.db"))
    for name in (f"{database.name}-wal", f"{database.name}-shm", f".draft-{'0' * 32}"):
        (folder / name).touch()
    remove(folder)
    assert not folder.exists()


@pytest.mark.parametrize("name", ["notes.txt", "my.db", ".draft-1", "acme.vectors"])
def test_another_file_in_the_folder_keeps_all_of_it(folder: Path, name: str):
    (folder / name).write_text("mine")
    before = sorted(folder.iterdir())
    with pytest.raises(StoreError, match="so nothing is removed: found"):
        remove(folder)
    assert sorted(folder.iterdir()) == before


def test_a_link_under_a_name_of_ours_is_not_ours(folder: Path):
    target = folder.parent / "mine.db"
    target.write_text("mine")
    (folder / f"x.{'0' * 32}.db").symlink_to(target)
    with pytest.raises(StoreError, match="nothing is removed"):
        remove(folder)
    assert target.read_text() == "mine"


def test_a_link_to_a_store_is_refused(folder: Path):
    link = folder.parent / "link"
    link.symlink_to(folder)
    with pytest.raises(StoreError, match="this is a link"):
        remove(link)
    assert folder.is_dir()


def test_a_folder_that_is_no_store_is_refused(tmp_path: Path):
    (tmp_path / "mine").mkdir()
    with pytest.raises(StoreError, match="this folder is not a store"):
        remove(tmp_path / "mine")
    with pytest.raises(StoreError, match="no store is here"):
        remove(tmp_path / "nowhere")


def test_a_removal_that_was_stopped_can_be_repeated(folder: Path):
    for file in folder.glob("*.db"):
        file.unlink()
    assert (folder / MARKER).exists()
    remove(folder)
    assert not folder.exists()


def test_a_store_that_is_made_anew_is_seen_by_who_had_the_old_one_open(folder: Path):
    with open_store(folder) as before:
        search_text(before, ANN, ["x"])
        remove(folder)
        with open_store(folder) as after:
            written(after, entry("b", "y", "z"))
            assert search_text(before, ANN, ["x"]) == ()
            assert search_text(before, ANN, ["y"]) == search_text(after, ANN, ["y"]) != ()
            written(before, entry("c", "z"))
            assert [each.id for each in seen(after, ANN).list_documents()] == ["b", "c"]
            assert after.check() == before.check() == ()


def test_a_store_that_is_gone_is_not_answered_from_or_written_to(folder: Path):
    with open_store(folder) as store:
        search_text(store, ANN, ["x"])
        remove(folder)
        with pytest.raises(StoreError, match="no store is here"):
            search_text(store, ANN, ["x"])
        with pytest.raises(StoreError, match="no store is here"):
            written(store, entry("b", "y"))
    assert not folder.exists()
