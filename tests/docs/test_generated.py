"""Every generated file is up to date: help texts, pages and schemas."""

from __future__ import annotations

import pytest

from generate import COMMAND, ROOT, drawn, generated, obsolete

FILES = generated()


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.relative_to(ROOT).as_posix())
def test_a_generated_file_is_up_to_date(file):
    assert file.read_text(encoding="utf-8") == FILES[file], f"run: {COMMAND}"


def test_the_pictures_are_up_to_date_and_no_generated_file_is_left_over():
    pictures = drawn()
    for file, picture in pictures.items():
        assert file.read_text(encoding="utf-8") == picture, f"{file.name}: run: {COMMAND}"
    assert obsolete(FILES | pictures) == set(), f"run: {COMMAND}"


@pytest.mark.parametrize(
    "file", [file for file in FILES if file.parent.name == "help"], ids=lambda file: file.name
)
def test_help_fits_80_columns(file):
    lines = FILES[file].partition("Examples:")[0].splitlines()
    assert max(map(len, lines)) <= 80
