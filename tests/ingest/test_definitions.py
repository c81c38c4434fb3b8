"""Definitions of many languages are found, each under the names that a reader knows it by."""

from __future__ import annotations

from pathlib import Path

import pytest

from biblicus_context.ingest.readers.definitions import by_indentation

SOURCES = Path(__file__).parent / "definitions"


def expected_in(text: str) -> set[str]:
    """The names that comments at the ends of lines say."""
    return {line.rpartition(" //=> ")[2].strip() for line in text.split("\n") if " //=> " in line}


def without_marks(text: str) -> list[str]:
    return [line.partition(" //=> ")[0] for line in text.split("\n")]


@pytest.mark.parametrize("path", sorted(SOURCES.iterdir()), ids=lambda path: path.suffix[1:])
def test_definitions_are_found_with_their_names(path: Path):
    """All that are marked, and nothing else."""
    text = path.read_text(encoding="utf-8")
    lines = without_marks(text)
    units = {".".join(each.path) for each in by_indentation(lines)}
    expected = expected_in(text)
    assert len(expected) > 8
    assert expected - units == set()
    assert units - expected == set()
