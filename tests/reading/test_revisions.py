"""What git is asked, and cannot answer, is an error of ours."""

from __future__ import annotations

from pathlib import Path

import pytest

from biblicus_context.errors import InputError
from biblicus_context.reading import revision


def test_a_folder_that_is_not_there_is_named(tmp_path: Path):
    with pytest.raises(InputError, match="there is no such folder"):
        revision("HEAD", tmp_path / "gone")


def test_a_folder_without_a_repository_has_no_revision(tmp_path: Path):
    with pytest.raises(InputError, match="git"):
        revision("HEAD", tmp_path)


def test_a_name_that_no_program_can_be_given_is_refused(tmp_path: Path):
    with pytest.raises(InputError, match="git cannot be asked"):
        revision("x" * 3_000_000, tmp_path)
