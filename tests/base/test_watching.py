"""Watching: a run begins when a file changes, and not while it is still being written."""

from __future__ import annotations

import threading
import time
from pathlib import Path

from biblicus_context.base.watching import state_of, wait_for_change


def test_a_change_an_addition_and_a_removal_are_seen(tmp_path: Path) -> None:
    file = tmp_path / "a" / "b.yaml"
    file.parent.mkdir()
    states = [state_of([tmp_path])]
    for text in ("one", "three"):
        file.write_text(text, encoding="utf-8")
        states.append(state_of([tmp_path]))
    file.unlink()
    assert states[0] != states[1] != states[2] != states[0]
    assert state_of([tmp_path]) == states[0]


def test_hidden_files_and_folders_do_not_count(tmp_path: Path) -> None:
    before = state_of([tmp_path])
    (tmp_path / ".git").mkdir()
    (tmp_path / ".git" / "index").write_text("x", encoding="utf-8")
    (tmp_path / ".swap").write_text("x", encoding="utf-8")
    assert state_of([tmp_path]) == before


def test_a_file_alone_is_watched_and_may_be_gone(tmp_path: Path) -> None:
    file = tmp_path / "a.jsonl"
    assert state_of([file]) == {}
    file.write_text("x", encoding="utf-8")
    assert list(state_of([file])) == [str(file)]


def test_waiting_ends_with_the_last_of_several_changes(tmp_path: Path) -> None:
    file = tmp_path / "a.yaml"
    file.write_text("0", encoding="utf-8")

    def write() -> None:
        for number in range(4):
            time.sleep(0.05)
            file.write_text("x" * (number + 2), encoding="utf-8")

    writer = threading.Thread(target=write)
    before = state_of([tmp_path])
    writer.start()
    wait_for_change(lambda: state_of([tmp_path]), before, interval=0.02, quiet=0.6)
    assert file.read_text(encoding="utf-8") == "xxxxx"
    writer.join()
