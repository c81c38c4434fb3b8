"""A file is replaced whole or not at all, and never through a name that somebody could guess."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from biblicus_context.base.rewrite import replace_file, replacement
from biblicus_context.errors import LoadError

KILLED = """
import os, sys, pathlib
from biblicus_context.base.rewrite import replacement
with replacement(pathlib.Path(sys.argv[1])) as stream:
    stream.write(b"half")
    stream.flush()
    os._exit(9)
"""


def _age(file: Path, seconds: float = 3600) -> None:
    os.utime(file, (time.time() - seconds,) * 2)


def test_what_a_killed_process_left_is_removed_by_the_next_one(tmp_path: Path) -> None:
    target = tmp_path / "plan.yaml"
    subprocess.run([sys.executable, "-c", KILLED, str(target)], check=False)
    (left,) = tmp_path.iterdir()
    assert left.name.startswith(".plan.yaml.")
    replace_file(target, None, b"fresh")
    assert left.exists()  # it is a few seconds old: its process may be about to lock it
    _age(left)
    replace_file(target, b"fresh", b"fresher")
    assert [each.name for each in tmp_path.iterdir()] == ["plan.yaml"]


def test_what_another_process_is_writing_stays(tmp_path: Path) -> None:
    target = tmp_path / "plan.yaml"
    with replacement(target) as stream:
        stream.write(b"one")
        stream.flush()
        (mine,) = tmp_path.iterdir()
        _age(mine)
        replace_file(target, None, b"two")
        assert mine.exists()
    assert target.read_bytes() == b"one"


def test_files_of_others_stay(tmp_path: Path) -> None:
    names = [".plan.yaml.part", ".plan.yaml.abc.part", ".plan.yml.abcdefgh.part", "x.part"]
    for name in names:
        (tmp_path / name).write_bytes(b"mine")
        _age(tmp_path / name)
    (tmp_path / ".plan.yaml.abcdefgh.part").symlink_to(tmp_path / "x.part")
    replace_file(tmp_path / "plan.yaml", None, b"fresh")
    assert sorted(os.listdir(tmp_path)) == sorted([*names, ".plan.yaml.abcdefgh.part", "plan.yaml"])


@pytest.mark.parametrize("make", [os.mkfifo, os.mkdir], ids=["pipe", "folder"])
def test_what_is_not_a_file_is_neither_waited_for_nor_replaced(tmp_path: Path, make) -> None:
    make(tmp_path / "odd")
    with pytest.raises(LoadError, match=r"not a regular file|Is a directory"):
        replace_file(tmp_path / "odd", b"", b"new")
    assert os.listdir(tmp_path) == ["odd"]
