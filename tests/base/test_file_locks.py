"""A file is held until the last of those who hold it together has closed it, or its process is gone."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from biblicus_context.base.file_locks import held_with_others, is_held

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="it has no such locks")


def test_it_is_held_until_the_last_one_has_ended(tmp_path: Path):
    file = tmp_path / "file"
    file.touch()
    assert is_held(file) is False
    with held_with_others(file):
        with held_with_others(file):
            assert is_held(file)
        assert is_held(file)
    assert is_held(file) is False


def test_who_asks_holds_nothing(tmp_path: Path):
    file = tmp_path / "file"
    file.touch()
    assert [is_held(file) for _ in range(3)] == [False] * 3


def test_of_a_file_that_is_not_there_nobody_can_tell(tmp_path: Path):
    with held_with_others(tmp_path / "missing"):
        assert is_held(tmp_path / "missing") is None
