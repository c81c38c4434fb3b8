"""The texts of --help and the page of documentation are what the commands say of themselves."""

from __future__ import annotations

from pathlib import Path

import pytest

from biblicus_context.cli.generated import texts
from biblicus_context.cli.helping import help_file

TEXTS = texts()


@pytest.mark.parametrize("file", TEXTS, ids=lambda file: file.name)
def test_a_text_is_up_to_date(file):
    """Renew them with: python -m biblicus_context.cli.generated"""
    assert file.read_text(encoding="utf-8") == TEXTS[file]


def test_there_is_no_text_of_a_command_that_is_gone():
    kept = {file for file in TEXTS if file.suffix == ".txt"}
    assert set(Path(help_file("x")).parent.iterdir()) == kept


@pytest.mark.parametrize("file", TEXTS, ids=lambda file: file.name)
def test_no_line_of_a_text_for_terminals_is_too_wide(file):
    lines = TEXTS[file].partition("Examples:")[0].splitlines()
    assert file.suffix == ".md" or max(map(len, lines)) <= 80
