"""Sentences that can be read alone, and together are the text."""

from __future__ import annotations

import pytest
from hypothesis import given, settings, strategies as st

from biblicus_context.text.cutting.sentences import sentences
from tests.pace import within
from tests.text.graphemes import CLUSTERS, boundaries, clustered, hostile
from tests.text.samples import SCRIPTS, texts

MEGABYTE = 1_000_000


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Dr. Ames came. She sat.", ["Dr. Ames came. ", "She sat."]),
        ("Fruit, e.g. apples. Really!", ["Fruit, e.g. apples. ", "Really!"]),
        ("これは日本語。次の文！", ["これは日本語。", "次の文！"]),
        ("यह एक है। यह दो है।", ["यह एक है। ", "यह दो है।"]),
        ("One.\n\nTwo.\r\n\r\nThree.", ["One.", "\n\n", "Two.", "\r\n\r\n", "Three."]),
        ("One.\n \t\n\nTwo.", ["One.", "\n \t\n\n", "Two."]),
        ("One is\nhard-wrapped. Two.", ["One is\nhard-wrapped. ", "Two."]),
        ("One.\r\nTwo.", ["One.\r\n", "Two."]),
        ("# Title\nText. More.", ["# Title\n", "Text. ", "More."]),
        ("To do:\n- wash\n- dry\n  well", ["To do:\n", "- wash\n", "- dry\n  well"]),
        ("1. First. Then.\n2. Last.", ["1. First. ", "Then.\n", "2. Last."]),
        ("| a | b |\n| 1 | 2 |", ["| a | b |\n", "| 1 | 2 |"]),
        ("Hi. \u0301There.", ["Hi. \u0301There."]),
        ("Lone \ud800 half. Next.", ["Lone \ud800 half. ", "Next."]),
        ("", []),
        ("\n\n", ["\n\n"]),
        ("   ", ["   "]),
    ],
)
def test_a_text_falls_into_its_sentences(text: str, expected: list[str]) -> None:
    assert sentences(text) == expected


@settings(max_examples=2 * settings().max_examples)
@given(texts | clustered | hostile)
def test_sentences_joined_are_the_text_and_none_is_empty(text: str) -> None:
    found = sentences(text)

    assert "".join(found) == text
    assert all(found)


@settings(max_examples=2 * settings().max_examples)
@given(clustered | hostile)
def test_no_character_is_shared_by_two_sentences(text: str) -> None:
    edges = boundaries(text)
    end = 0
    for sentence in sentences(text):
        end += len(sentence)
        assert end in edges


@pytest.mark.parametrize("space", "\x85\xa0\u1680\u2000\u2028\u202f\u3000")
def test_an_initial_may_stand_before_a_space_of_any_width(space: str) -> None:
    """What makes the library panic is put differently to it, and stays in the text."""
    text = f"J{space}. Ames came."
    assert "".join(sentences(text)) == text


def test_a_long_paragraph_has_the_same_sentences_as_its_parts() -> None:
    short = "Dr. Ames came at 9 a.m. She sat down. これは日本語。次の文！ "

    assert sentences(short * 500) == sentences(short) * 500


@pytest.mark.parametrize(
    "unit",
    [
        "a",
        ".",
        ". ",
        "\n",
        "\r\n",
        " ",
        "a\n",
        "日本語の文章です。",
        "Hi.\n\n",
        "- x\n",
        '"a. ',
        "\u0301",
        "\ud800",
    ],
)
def test_a_megabyte_of_anything_takes_bounded_time(unit: str) -> None:
    text = unit * (MEGABYTE // len(unit))
    with within(10):
        found = sentences(text)
    assert "".join(found) == text


QUOTED = ("`", "'", "“", "`code` and ", "var a=`x${b}`,c=d(e,`f`);", "a('b',c['d'],e?'f':'g');")
"""Where the library takes a time that grows with the square of the length."""


@pytest.mark.parametrize("unit", QUOTED)
def test_quotes_without_a_sentence_take_time_that_grows_with_their_length(unit: str) -> None:
    text = (unit * 200_000)[:200_000]
    with within(2):
        found = sentences(text)
    assert "".join(found) == text


def test_quotes_without_a_sentence_are_cut_between_lines_or_words() -> None:
    lines = "".join(f"`line {number} of` code `that` goes `on\n" for number in range(2_000))
    words = lines.replace("\n", " ")

    assert all(part.endswith("\n") for part in sentences(lines)[:-1])
    assert all(part.endswith(" ") for part in sentences(words)[:-1])
    assert max(map(len, sentences(lines) + sentences(words))) <= 8_000


@settings(max_examples=12)
@given(
    st.lists(st.sampled_from((*QUOTED, *CLUSTERS, ". A", " ")), min_size=1, max_size=8),
    st.integers(10_001, 20_000),
)
def test_long_quotes_joined_are_the_text_and_no_character_is_shared(
    units: list[str], length: int
) -> None:
    unit = "".join(units)
    text = (unit * (length // len(unit) + 1))[:length]
    edges = boundaries(text)
    end = 0
    for sentence in sentences(text):
        assert sentence
        end += len(sentence)
        assert end in edges
    assert end == len(text)


@pytest.mark.parametrize("text", SCRIPTS)
def test_every_script_keeps_all_of_its_characters(text: str) -> None:
    assert "".join(sentences(text)) == text
