"""A file of any shape costs each reader time that grows with its length, and no faster."""

from __future__ import annotations

import pytest

from benchmarks.attacks.reader_shapes import SHAPES, Shape, converting, growth, is_linear
from biblicus_context.ingest.readers.html_tokens import tokens

CONVERT = converting("whitespace")


@pytest.mark.parametrize("suffix", sorted({shape.suffix for shape in SHAPES}))
def test_a_hostile_file_costs_time_that_grows_with_its_length(suffix: str):
    bent = {
        f"{shape}": growth(CONVERT, shape, 8_000)
        for shape in SHAPES
        if shape.suffix == suffix and not is_linear(CONVERT, shape, 8_000)
    }
    assert not bent


def test_a_page_of_open_quotes_is_read_at_once():
    shape = Shape(".html", "", '<a b="')
    assert is_linear(lambda content: [*tokens(content.text())], shape, 96_000)
