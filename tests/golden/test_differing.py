"""Differences: small, exact, and shown where they are."""

from __future__ import annotations

from hypothesis import given, settings, strategies as st

from biblicus_context.golden.snapshots.text_difference import difference, nearest_passage
from tests.pace import within


@settings(max_examples=2 * settings().max_examples)
@given(st.text(), st.text())
def test_texts_that_differ_show_a_difference_and_equal_ones_none(one: str, other: str) -> None:
    marked = [row for row in difference(one, other) if row.startswith(("-", "+"))]
    assert bool(marked) == (one != other)
    assert difference(one, one) == ()


def test_a_change_inside_a_long_line_is_shown_without_the_rest_of_it() -> None:
    line = "".join(f"This is sentence number {number}. " for number in range(40))
    assert difference(line, line.replace("number 20", "twenty")) == (
        " This is sentence number 18. ",
        " This is sentence number 19. ",
        "-This is sentence number 20. ",
        "+This is sentence twenty. ",
        " This is sentence number 21. ",
        " This is sentence number 22. ",
    )


def test_what_cannot_be_seen_is_written_out() -> None:
    assert difference("a ", "a") == (r"-a\x20", "+a")
    assert difference("a\tb", "a b") == (r"-a\tb", "+a b")
    assert difference("a\n", "a") == (" a", "-")


def test_far_too_much_is_left_out_quickly() -> None:
    with within(2):
        rows = difference(
            "\n".join(map(str, range(50_000))), "\n".join(map(str, range(50_000, 99_999)))
        )
        assert len(rows) == 41
        assert rows[-1].endswith("more rows")
        nearest_passage("abcdefgh" * 10_000, "abcdefg " * 100_000)


def test_the_nearest_passage_is_told_in_whole_words_if_there_is_any() -> None:
    text = "You are a support agent. Answer from the handbook."
    assert nearest_passage("suport agnt", text) == "a support agent."
    assert nearest_passage("zzzzzzzz", text) is None
    assert nearest_passage("anything", "") is None
