"""A file's bytes and text, whatever happens to it meanwhile."""

from __future__ import annotations

import os
import random
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given, strategies as st

from biblicus_context.ingest import Content, SkippedFile
from biblicus_context.ingest.files import content as room
from biblicus_context.ingest.files.content import read
from biblicus_context.ingest.files.walking import FoundFile
from tests.ingest.build import MOMENT, written


def file(path: Path) -> FoundFile:
    return FoundFile(path.resolve(), path.name, path.stat().st_size)


def of(data: bytes) -> Content:
    return Content("a.txt", data, MOMENT)


@pytest.mark.parametrize(
    ("data", "text"),
    [
        (b"one\r\ntwo\rthree\n", "one\ntwo\nthree\n"),
        ("\ufeffÄrger".encode(), "Ärger"),
        ("Ärger".encode("utf-16"), "Ärger"),
        (b"\xfe\xff" + "Ärger".encode("utf-16-be"), "Ärger"),
        ("Ärger".encode("utf-32"), "Ärger"),
        (b"caf\xe9 au lait", "caf\ufffd au lait"),
        ("odd".encode("utf-16") + b"\x00", "odd\ufffd"),
        (b"", ""),
    ],
)
def test_text_is_decoded_by_its_mark_and_lines_end_alike(data: bytes, text: str):
    assert of(data).text() == text
    assert not of(data).looks_binary


def test_text_holds_no_nul():
    assert of(b"x" * 9000 + b"\0").text().endswith("\ufffd")


@pytest.mark.parametrize(
    "data",
    [
        b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR",
        bytes(range(1, 256)) * 4,
        b"\xff\xfe" + random.Random(1).randbytes(2_000),
    ],
)
def test_what_is_no_text_looks_binary(data: bytes):
    assert of(data).looks_binary


@given(
    st.text(st.sampled_from("abc é’\u4e2d\ufffd\t\n\x1b\x01\x0e\x7f"), max_size=60),
    st.sampled_from(("utf-8", "koi8-r", "shift_jis", "cp1252")),
)
def test_a_file_looks_binary_if_a_tenth_of_its_characters_is_in_no_text(text: str, encoding: str):
    declared = "" if encoding == "utf-8" else f"# coding: {encoding}\n"
    data = (declared + text).encode(encoding, "ignore")
    shown = data.decode(encoding)
    unprinted = sum(each in "\x01\x0e\x7f\ufffd" for each in shown)
    content = Content("a.py", data, MOMENT)
    assert content.text() == shown
    assert content.looks_binary == (unprinted > 1 + 0.1 * len(shown))


def test_text_cut_inside_a_character_is_still_text():
    assert not of(("ü" * 4096 + "x").encode()[1:]).looks_binary


def test_bytes_that_are_not_utf8_are_noticed():
    assert of("Ärger".encode()).is_sound
    assert not of(b"caf\xe9").is_sound


def test_a_file_has_its_content_and_time(tmp_path: Path):
    written(tmp_path, {"a.md": "words"})
    os.utime(tmp_path / "a.md", (0, MOMENT.timestamp()))
    assert read(file(tmp_path / "a.md"), 100) == Content("a.md", b"words", MOMENT)


def test_a_time_beyond_all_calendars_is_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    written(tmp_path, {"a.md": "words"})
    assert room._moment(1e15) is None


def test_a_file_that_grew_beyond_the_limit_is_left_out(tmp_path: Path):
    written(tmp_path, {"a.md": "words"})
    assert read(file(tmp_path / "a.md"), 4) == SkippedFile("a.md", "larger than 4 bytes")


def test_a_file_that_is_gone_may_come_back(tmp_path: Path):
    written(tmp_path, {"a.md": "words"})
    found = file(tmp_path / "a.md")
    (tmp_path / "a.md").unlink()
    skipped = read(found, 100)
    assert skipped == SkippedFile("a.md", "cannot be read: No such file or directory", for_now=True)


@pytest.fixture
def meanwhile(monkeypatch: pytest.MonkeyPatch) -> Callable[[Callable[[], None]], None]:
    """Does something to a file between opening it and looking at it again."""

    def arrange(act: Callable[[], None]) -> None:
        opened = room.open_regular

        def opening(path: Path):
            stream = opened(path)
            act()
            return stream

        monkeypatch.setattr(room, "open_regular", opening)

    return arrange


def test_a_file_that_changes_once_is_read_again(tmp_path: Path, meanwhile):
    path = written(tmp_path, {"a.md": "old"}) / "a.md"
    changes = iter(["newer and longer"])

    def change() -> None:
        for text in changes:
            # The first look at the file has to come before this.
            path.write_text(text)

    found = file(path)
    meanwhile(change)
    content = read(found, 100)
    assert isinstance(content, Content)
    assert content.data == b"newer and longer"


@pytest.mark.parametrize("size", ["{:x>{}}", "{:04}"], ids=["longer each time", "of one length"])
def test_a_file_that_keeps_changing_is_left_out_for_now(tmp_path: Path, monkeypatch, size: str):
    path = written(tmp_path, {"a.md": "old"}) / "a.md"
    looked, looks = os.fstat, iter(range(1000))

    def look(handle: int) -> os.stat_result:
        number = next(looks)
        path.write_text(size.format(number, number))
        os.utime(path, (number, number))
        return looked(handle)

    monkeypatch.setattr(room.os, "fstat", look)
    skipped = read(file(path), 10_000)
    assert skipped == SkippedFile("a.md", "changed while it was read", for_now=True)


def test_a_link_put_in_place_of_a_file_is_not_followed(tmp_path: Path):
    written(tmp_path, {"root/a.md": "words", "secret.md": "secret"})
    found = file(tmp_path / "root/a.md")
    found.path.unlink()
    found.path.symlink_to(tmp_path / "secret.md")
    assert read(found, 100) == SkippedFile("a.md", "a link")


def test_a_link_put_in_place_of_a_folder_is_not_followed(tmp_path: Path):
    written(tmp_path, {"root/sub/a.md": "words", "outside/a.md": "secret"})
    found = file(tmp_path / "root/sub/a.md")
    (tmp_path / "root/sub").rename(tmp_path / "root/old")
    (tmp_path / "root/sub").symlink_to(tmp_path / "outside")
    assert read(found, 100) == SkippedFile("a.md", "reached through a link")


def test_a_pipe_put_in_place_of_a_file_does_not_hold_anything_up(tmp_path: Path):
    written(tmp_path, {"a.md": "words"})
    found = file(tmp_path / "a.md")
    found.path.unlink()
    os.mkfifo(found.path)
    assert read(found, 100) == SkippedFile("a.md", "not a regular file")
