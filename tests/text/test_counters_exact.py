"""Counts are those of the reference implementations, text by text."""

from __future__ import annotations

import pytest
from hypothesis import given, settings, strategies as st

from biblicus_context.text.counters import Counters
from tests.text.samples import CONTROL_TOKENS, SCRIPTS, texts

ENCODINGS = ("o200k_base", "cl100k_base")
counters = Counters()


@pytest.mark.parametrize("encoding", ENCODINGS)
@pytest.mark.parametrize("text", [*SCRIPTS, *CONTROL_TOKENS, "\n\n".join(SCRIPTS)])
def test_a_bundled_vocabulary_counts_as_tiktoken_does(encoding: str, text: str) -> None:
    """Texts of many scripts have as many tokens as the reference says."""
    assert counters.get(encoding).count(text) == counters.get(f"tiktoken:{encoding}").count(text)


@pytest.mark.parametrize("encoding", ENCODINGS)
@settings(max_examples=2 * settings().max_examples, deadline=None)
@given(text=texts | st.text(max_size=60))
def test_any_text_counts_as_tiktoken_does(encoding: str, text: str) -> None:
    """No text was found on which the two differ."""
    assert counters.get(encoding).count(text) == counters.get(f"tiktoken:{encoding}").count(text)


@pytest.mark.parametrize("unit", ["a", "!", " ", "word ", "漢字", "x  \n"])
def test_cutting_for_tiktoken_does_not_undercount(unit: str) -> None:
    """Texts too long for tiktoken's pattern count at least as much in pieces, and hardly more."""
    text = unit * (350_000 // len(unit))
    whole = counters.get("o200k_base").count(text)
    assert whole <= counters.get("tiktoken:o200k_base").count(text) <= whole + 8
