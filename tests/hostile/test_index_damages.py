"""An index that anything but a store changed answers as before, or not at all."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from benchmarks.attacks.index_damages import answers, damaged, sound_index
from biblicus_context.stores import Principal, StoreError
from biblicus_context.stores.sqlite import open_store
from biblicus_context.testing.store_samples import seen


def test_a_damaged_index_gives_no_other_answer_and_a_check_finds_it():
    counts, missed = damaged(60)
    assert (counts["wrong"], missed) == (0, 0)
    assert counts["error"] > 10


def test_a_change_that_keeps_the_time_of_the_file_is_found(tmp_path: Path):
    folder = sound_index(tmp_path / "store", documents=3)
    (path,) = folder.glob("*.db")
    before, data = path.stat(), path.read_bytes()
    place = data.rindex(b"rose")
    path.write_bytes(data[:place] + b"nose" + data[place + 4 :])
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))
    with pytest.raises(StoreError, match=r"the file is damaged .*\.db\.seal.*ingest again"):
        answers(folder)


def test_files_of_an_index_are_private(tmp_path: Path):
    folder = sound_index(tmp_path / "store", documents=3)
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert {stat.S_IMODE(path.stat().st_mode) for path in folder.iterdir()} == {0o600}
    assert len([*folder.iterdir()]) == 5


def test_drafts_of_killed_processes_are_swept_at_the_next_start(tmp_path: Path):
    folder = sound_index(tmp_path / "store", documents=1)
    old, new = folder / f".draft-{'0' * 32}", folder / f".draft-{'1' * 32}"
    old.touch()
    new.touch()
    os.utime(old, (0, 0))
    open_store(folder).close()
    assert (old.exists(), new.exists()) == (False, True)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no pipes here")
@pytest.mark.parametrize("ending", ["", "-wal", ".seal"])
def test_a_pipe_in_place_of_a_file_is_refused_at_once(tmp_path: Path, ending: str):
    folder = sound_index(tmp_path / "store", documents=1)
    (path,) = folder.glob("*.db")
    pipe = path.with_name(f"{path.name}{ending}")
    pipe.unlink(missing_ok=True)
    os.mkfifo(pipe)
    with open_store(folder) as store, pytest.raises(StoreError, match="not a regular file"):
        seen(store, Principal("acme")).info()


def test_a_database_that_is_gone_is_an_error_until_it_is_ingested_again(tmp_path: Path):
    folder = sound_index(tmp_path / "store", documents=3)
    expected = answers(folder)
    (path,) = folder.glob("*.db")
    path.unlink()
    assert len([*folder.glob(f"{path.stem}*")]) == 3
    with pytest.raises(StoreError, match=r"the database is gone.*ingest again"):
        answers(folder)
    with open_store(folder) as store:
        assert [each for each in store.check() if "the database is gone" in each]
    assert answers(sound_index(folder, documents=3)) == expected
    with open_store(folder) as store:
        assert not store.check()
