"""Sentences that can be read alone, and together are the text."""

from __future__ import annotations

import time

import pytest
from hypothesis import given, settings

from biblicus_context.text.sentences import sentences
from tests.text.graphemes import boundaries, clustered, hostile
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


@settings(max_examples=300)
@given(texts | clustered | hostile)
def test_sentences_joined_are_the_text_and_none_is_empty(text: str) -> None:
    found = sentences(text)

    assert "".join(found) == text
    assert all(found)


@settings(max_examples=200)
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
    start = time.process_time()

    found = sentences(text)

    assert time.process_time() - start < 10
    assert "".join(found) == text


@pytest.mark.parametrize("text", SCRIPTS)
def test_every_script_keeps_all_of_its_characters(text: str) -> None:
    assert "".join(sentences(text)) == text
