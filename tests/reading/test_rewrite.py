"""Files are replaced whole, or not at all."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from biblicus_context import LoadError
from biblicus_context.base import rewrite
from biblicus_context.base.rewrite import replace_file


def test_a_file_gets_its_new_content_and_keeps_its_permissions(tmp_path: Path) -> None:
    file = tmp_path / "a.yaml"
    file.write_bytes(b"old")
    file.chmod(0o640)
    replace_file(file, b"old", b"new")
    assert file.read_bytes() == b"new"
    assert stat.S_IMODE(file.stat().st_mode) == 0o640
    assert os.listdir(tmp_path) == ["a.yaml"]


def test_a_new_file_may_be_read_as_any_new_file(tmp_path: Path) -> None:
    replace_file(tmp_path / "a.yaml", None, b"new")
    (tmp_path / "b.yaml").touch()
    assert (tmp_path / "a.yaml").stat().st_mode == (tmp_path / "b.yaml").stat().st_mode


def test_a_link_stays_a_link(tmp_path: Path) -> None:
    target, link = tmp_path / "target.yaml", tmp_path / "link.yaml"
    target.write_bytes(b"old")
    link.symlink_to(target)
    replace_file(link, b"old", b"new")
    assert link.is_symlink()
    assert target.read_bytes() == b"new"


@pytest.mark.parametrize("before", [b"older", None])
def test_what_someone_else_wrote_meanwhile_is_not_lost(
    tmp_path: Path, before: bytes | None
) -> None:
    file = tmp_path / "a.yaml"
    file.write_bytes(b"theirs")
    with pytest.raises(LoadError, match="has changed since it was read"):
        replace_file(file, before, b"ours")
    assert file.read_bytes() == b"theirs"


def test_a_file_that_is_gone_is_not_brought_back(tmp_path: Path) -> None:
    with pytest.raises(LoadError, match="has changed since it was read"):
        replace_file(tmp_path / "a.yaml", b"old", b"new")
    assert os.listdir(tmp_path) == []


def test_a_write_that_fails_leaves_the_old_file_and_nothing_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A full disk or a read-only folder; the superuser may write anywhere, so the call fails here."""
    file = tmp_path / "a.yaml"
    file.write_bytes(b"old")

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(rewrite.os, "replace", full)
    with pytest.raises(LoadError, match="cannot be written: No space left on device"):
        replace_file(file, b"old", b"new")
    assert file.read_bytes() == b"old"
    assert os.listdir(tmp_path) == ["a.yaml"]


def test_a_folder_that_does_not_exist_is_said(tmp_path: Path) -> None:
    with pytest.raises(LoadError, match="cannot be written: No such file"):
        replace_file(tmp_path / "no" / "a.yaml", None, b"new")
