"""A conversation that grew is counted as if nobody had ever counted it."""

from __future__ import annotations

from hypothesis import example, given
from hypothesis import strategies as st

from biblicus_context.text.counters import Remembering
from biblicus_context.text.counters.run import Run
from biblicus_context.text.counters.whitespace import Whitespace

texts = st.lists(st.sampled_from(["one", "two words", "and three words", ""]), max_size=12)


@given(known=texts, counted=texts)
@example(known=["one", "two words"], counted=["two words", "one", "two words"])
def test_an_overlap_has_the_counts_of_the_texts_it_begins_at(
    known: list[str], counted: list[str]
) -> None:
    """Whatever was counted before, and wherever the two begin to be the same."""
    start, counts = Run(known, Whitespace().count_many(known)).overlap(counted)
    assert [*counts] == Whitespace().count_many(counted[start : start + len(counts)])


def test_what_stands_where_it_stood_is_found() -> None:
    """Turns that came, and turns that went, leave the rest where it can be found."""
    words = [f"message {number}" for number in range(400)]
    run = Run(words, range(400))
    assert run.overlap([*words[2:], "new"]) == (0, range(2, 400))
    assert run.overlap(["older", *words, "new"]) == (1, range(400))
    assert run.overlap(words[100:]) == (0, ())
    assert run.overlap([*words[:200], "edited", *words[201:]]) == (0, ())


@given(
    edits=st.lists(
        st.tuples(st.integers(0, 299), st.sampled_from(["", "a", "a b c", "changed"])), max_size=3
    ),
    shift=st.integers(-80, 80),
)
def test_a_long_run_is_counted_exactly_again_and_again(
    edits: list[tuple[int, str]], shift: int
) -> None:
    """A conversation moves and changes between two calls; every figure is that of its text."""
    counter = Remembering(Whitespace())
    words = [f"message number {number}" if number % 3 else f"{number}" for number in range(460)]
    before = words[80:380]
    after = words[80 + shift : 380 + shift]
    for place, text in edits:
        after[place] = text
    for texts in (before, after, before):
        assert counter.count_many(texts) == Whitespace().count_many(texts)


def test_counts_are_handed_out_as_copies() -> None:
    """What a caller does to a list of counts is not remembered."""
    counter = Remembering(Whitespace())
    texts = [f"message {number}" for number in range(300)]
    counter.count_many(texts).clear()
    assert counter.count_many(texts) == [2] * 300


def test_a_run_is_forgotten_when_too_many_characters_went_through_it() -> None:
    """What is remembered of a conversation does not grow with it, and figures stay exact."""
    counter = Remembering(Whitespace(), characters=20_000)
    words = [f"message number {number}" for number in range(2_000)]
    for start in range(0, 1_700, 50):
        run = words[start : start + 300]
        assert counter.count_many(run) == [3] * 300
