"""A file that a command writes is whole or as it was, and nothing but a file is ever replaced."""

from __future__ import annotations

import os
import stat
from pathlib import Path
from threading import Thread

import pytest

from biblicus_context.cli.output.saving import save
from biblicus_context.errors import ContextError


def test_a_file_is_replaced_when_all_of_it_is_written(tmp_path: Path):
    file = tmp_path / "kept.txt"
    file.write_text("before", "utf-8")
    with pytest.raises(ContextError, match="surrogates not allowed"):
        save(file, "half \ud800")
    assert file.read_text("utf-8") == "before"
    save(file, "after")
    assert file.read_text("utf-8") == "after"
    assert [*tmp_path.iterdir()] == [file]


def test_what_a_link_leads_to_is_written_and_the_link_stays(tmp_path: Path):
    link = tmp_path / "link.txt"
    (tmp_path / "elsewhere").mkdir()
    link.symlink_to(tmp_path / "elsewhere" / "real.txt")
    save(link, "one")
    save(link, "two")
    assert link.is_symlink()
    assert (tmp_path / "elsewhere" / "real.txt").read_text("utf-8") == "two"


def test_a_pipe_is_written_to_and_stays_one(tmp_path: Path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    read: list[str] = []
    reader = Thread(target=lambda: read.append(pipe.read_text("utf-8")), daemon=True)
    reader.start()
    save(pipe, "said")
    assert stat.S_ISFIFO(pipe.stat().st_mode)
    reader.join(timeout=10)
    assert read == ["said"]


def test_where_nothing_can_be_written_an_error_says_why(tmp_path: Path):
    with pytest.raises(ContextError, match="cannot be written: Is a directory"):
        save(tmp_path, "text")
    with pytest.raises(ContextError, match="cannot be written: No such file or directory"):
        save(tmp_path / "nowhere" / "file", "text")


def test_a_link_under_a_name_that_could_be_guessed_is_not_written_through(tmp_path: Path):
    other = tmp_path / "other.txt"
    other.write_text("mine", "utf-8")
    (tmp_path / f".page.html.{os.getpid()}.part").symlink_to(other)
    save(tmp_path / "page.html", "text")
    assert other.read_text("utf-8") == "mine"


def test_a_name_that_no_file_can_have_is_an_error(tmp_path: Path):
    with pytest.raises(ContextError, match=r"cannot be written: .*null character"):
        save(tmp_path / "a\0b", "text")
