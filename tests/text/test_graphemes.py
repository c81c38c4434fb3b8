"""Cutting between what a reader takes for characters."""

from __future__ import annotations

import subprocess
import sys

import pytest
from hypothesis import given, settings, strategies as st

from biblicus_context.text.cutting.graphemes import boundary_after, boundary_before
from tests.pace import within
from tests.text.graphemes import CLUSTERS, boundaries, clustered, hostile

MEGABYTE = 1_000_000
LONGEST = 64


@settings(max_examples=2 * settings().max_examples)
@given(hostile | clustered, st.data())
def test_boundaries_are_those_of_the_whole_text_seen_at_once(
    text: str, data: st.DataObject
) -> None:
    index = data.draw(st.integers(0, len(text)))
    at = boundaries(text)

    assert boundary_before(text, index) == max(edge for edge in at if edge <= index)
    assert boundary_after(text, index) == min(edge for edge in at if edge >= index)


@pytest.mark.parametrize("cluster", CLUSTERS)
def test_a_cluster_is_never_entered_wherever_it_stands(cluster: str) -> None:
    for before in ("", "x", "漢" * 50, "🇩🇪" * 9, "e\u0301" * 30):
        text = f"{before}{cluster}y"
        at = boundaries(text)
        for index in range(len(text) + 1):
            assert boundary_before(text, index) in at
            assert boundary_after(text, index) in at


@pytest.mark.parametrize(
    ("index", "before", "after"), [(-3, 0, 0), (0, 0, 0), (3, 3, 3), (9, 3, 3)]
)
def test_an_index_outside_the_text_means_its_nearest_end(
    index: int, before: int, after: int
) -> None:
    assert boundary_before("abc", index) == before
    assert boundary_after("abc", index) == after


def test_a_line_end_of_two_characters_is_one() -> None:
    assert boundary_before("a\r\nb", 2) == 1
    assert boundary_after("a\r\nb", 2) == 3


@pytest.mark.parametrize("before", ["", "x", "x" * 200, "漢" * 50, "🇩🇪" * 9, "\r\n"])
@pytest.mark.parametrize("unit", ["\u0301", "\u200d👨", "\u1100", "🇩🇪"[:1]])
def test_a_cluster_as_long_as_any_character_is_never_entered(before: str, unit: str) -> None:
    text = f"{before}e{(unit * LONGEST)[: LONGEST - 1]}y"
    at = boundaries(text)

    for index in range(len(text) + 1):
        assert boundary_before(text, index) == max(edge for edge in at if edge <= index)
        assert boundary_after(text, index) == min(edge for edge in at if edge >= index)


def test_what_is_longer_than_any_character_may_be_cut_anywhere() -> None:
    text = "x" + "\u0301" * MEGABYTE

    assert boundary_before(text, LONGEST) == 0
    assert boundary_before(text, LONGEST + 1) == LONGEST + 1
    assert boundary_before(text, MEGABYTE // 2) == MEGABYTE // 2
    assert boundary_after(text, MEGABYTE // 2) == MEGABYTE // 2


@pytest.mark.parametrize(
    "unit", ["a", "漢", "\u0301", "👨\u200d", "\u1100", "🇩", "\u0600", "\ud800"]
)
def test_a_megabyte_costs_no_more_than_its_surroundings(unit: str) -> None:
    text = unit * (MEGABYTE // len(unit))
    with within(2):
        for index in range(MEGABYTE // 2, MEGABYTE // 2 + 5):
            assert boundary_before(text, index) <= index <= boundary_after(text, index)


def test_each_cut_in_a_row_of_flags_costs_the_same_however_long_the_row_is() -> None:
    text = "🇩🇪" * 2 * MEGABYTE
    with within(0.5):
        for index in range(3 * MEGABYTE, 3 * MEGABYTE + 2_000, 2):
            assert boundary_before(text, index) == boundary_after(text, index) == index


def test_flags_are_counted_from_the_first_one() -> None:
    for before in ("", "x", "🇩x", "e\u0301"):
        text = before + "🇩🇪" * 400
        for index in range(len(before), len(text)):
            assert boundary_before(text, index) == index - (index - len(before)) % 2


def test_regex_is_loaded_for_the_first_text_that_is_not_ascii() -> None:
    program = (
        "import sys; from biblicus_context.text.cutting.graphemes import boundary_before as b;"
        "b('plain text', 5); assert 'regex' not in sys.modules;"
        "b('h\\u00e9llo', 2); assert 'regex' in sys.modules"
    )

    subprocess.run([sys.executable, "-c", program], check=True)
