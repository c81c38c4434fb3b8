"""The longest start or end of a text that fits."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence

import pytest
from hypothesis import given, settings, strategies as st

from biblicus_context.text.counters import Counter, Counters
from biblicus_context.text.cutting.cutting import fits, longest_end, longest_start, tokens_within
from tests.pace import within
from tests.text.graphemes import boundaries, clustered, hostile
from tests.text.samples import CONTROL_TOKENS, texts

MEGABYTE = 1_000_000
PROSE = (
    "The budget is exact. Nothing is sent that was not counted, and internationalisation (of\n"
    "every text) is no excuse; see section 4.2 of the handbook, or https://example.org/a/b?c=d.\n\n"
)

COUNTERS = [Counters().get(name) for name in ("o200k_base", "whitespace", "characters")]

Cut = Callable[[str, int, Counter], str]

from_both_sides = pytest.mark.parametrize("cut", [longest_start, longest_end])
with_counters = pytest.mark.parametrize("counter", COUNTERS, ids=lambda counter: counter.name)


class Watched:
    """Counts as another counter does, and notes how often."""

    estimated = False

    def __init__(self, counter: Counter) -> None:
        self.name = counter.name
        self.lengths: list[int] = []
        self._counter = counter

    def count(self, text: str) -> int:
        """Tokens of one text."""
        self.lengths.append(len(text))
        return self._counter.count(text)

    def count_many(self, texts: Sequence[str]) -> list[int]:
        """Tokens of each text."""
        return [self.count(text) for text in texts]


@from_both_sides
@with_counters
@settings(max_examples=80)
@given(text=texts | clustered | hostile, max_tokens=st.integers(-1, 40))
def test_a_cut_fits_is_an_end_of_the_text_and_splits_no_character(
    cut: Cut, counter: Counter, text: str, max_tokens: int
) -> None:
    kept = cut(text, max_tokens, counter)

    assert counter.count(kept) <= max(0, max_tokens)
    if cut is longest_start:
        assert text.startswith(kept)
        assert len(kept) in boundaries(text)
    else:
        assert text.endswith(kept)
        assert len(text) - len(kept) in boundaries(text)


@from_both_sides
@with_counters
@settings(max_examples=80)
@given(text=texts | clustered | hostile)
def test_a_text_that_fits_is_kept_whole(cut: Cut, counter: Counter, text: str) -> None:
    tokens = counter.count(text)

    assert cut(text, max(1, tokens), counter) == text
    assert cut(text, tokens + 7, counter) == text


@with_counters
@settings(max_examples=60)
@given(st.data())
def test_not_one_more_word_would_have_fitted(counter: Counter, data: st.DataObject) -> None:
    words = data.draw(st.lists(st.sampled_from(PROSE.split()), min_size=1, max_size=80))
    text = " ".join(words)
    max_tokens = data.draw(st.integers(1, 120))

    start = longest_start(text, max_tokens, counter)
    end = longest_end(text, max_tokens, counter)

    starts = [" ".join(words[:number]) for number in range(len(words) + 1)]
    ends = [" ".join(words[number:]) for number in range(len(words) + 1)]
    assert len(start) >= max(len(each) for each in starts if counter.count(each) <= max_tokens)
    assert len(end) >= max(len(each) for each in ends if counter.count(each) <= max_tokens)


@pytest.mark.parametrize(
    ("text", "max_tokens", "start", "end"),
    [
        ("one two three", 2, "one two", "two three"),
        ("one\n  two\n  three", 2, "one\n  two", "  two\n  three"),
        ("one two", 0, "", ""),
        ("one two", -5, "", ""),
        ("one two", 2, "one two", "one two"),
        ("one two\n", 2, "one two\n", "one two\n"),
        ("", 3, "", ""),
    ],
)
def test_words_and_lines_stay_whole(text: str, max_tokens: int, start: str, end: str) -> None:
    counter = Counters().get("whitespace")

    assert longest_start(text, max_tokens, counter) == start
    assert longest_end(text, max_tokens, counter) == end


@pytest.mark.parametrize("mark", ["##", "-", "*", "1.", "12)", ">", "\\-", "  -"])
def test_a_mark_without_the_line_that_it_begins_is_not_kept(mark: str) -> None:
    counter = Counters().get("whitespace")
    text = f"It is sent.\n\n{mark} Lost parcels\n\nWe look for them."

    assert longest_start(text, 3, counter) == "It is sent."
    assert longest_start(text, 4, counter) == "It is sent."
    assert longest_start(text, 5, counter) == f"It is sent.\n\n{mark} Lost"
    assert longest_start(f"{mark} Lost parcels", 1, counter) == mark


def test_a_word_is_cut_where_no_word_boundary_is_near() -> None:
    counter = Counters().get("characters")
    text = "x" * 100 + " tail"

    assert longest_start(text, 5, counter) == "x" * 20
    assert longest_end("tail " + "x" * 100, 5, counter) == "x" * 20


def test_a_script_without_spaces_is_cut_anywhere() -> None:
    counter = Counters().get("characters")
    text = "これは 長い日本語の文章で単語の間に空白がありません。" * 3

    assert len(longest_start(text, 5, counter)) == 20
    assert len(longest_end(text, 5, counter)) == 20


def test_a_number_is_not_cut_at_its_point() -> None:
    assert longest_start("It costs 3.14159 euros", 3, Counters().get("characters")) == "It costs"


@pytest.mark.parametrize("control", CONTROL_TOKENS)
def test_control_tokens_are_text_like_any_other(control: str) -> None:
    counter = COUNTERS[0]
    text = f"before {control} after " * 20

    assert 40 < counter.count(longest_start(text, 50, counter)) <= 50


@from_both_sides
@pytest.mark.parametrize("max_tokens", [5, 20, 60, 100])
def test_few_counts_are_needed(cut: Cut, max_tokens: int) -> None:
    counter = Watched(COUNTERS[0])

    cut((PROSE * 4)[:600], max_tokens, counter)

    assert len(counter.lengths) <= 10


@from_both_sides
def test_of_a_long_text_little_more_is_counted_than_is_kept(cut: Cut) -> None:
    counter = Watched(COUNTERS[0])
    text = (PROSE * 6000)[:MEGABYTE]

    kept = cut(text, 20_000, counter)

    assert sum(counter.lengths) <= 3 * len(kept)
    assert COUNTERS[0].count(kept) >= 0.995 * 20_000


@from_both_sides
@with_counters
@pytest.mark.parametrize("unit", ["a", "ab1", "\u0301", " ", "\n", "漢", "👨\u200d", "🇩", "\ud800"])
def test_a_megabyte_takes_bounded_time(cut: Cut, counter: Counter, unit: str) -> None:
    text = unit * (MEGABYTE // len(unit))
    with within(5):
        kept = cut(text, 1000, counter)
    assert counter.count(kept) <= 1000
    assert kept


ENDLESS = ("\u0301", "a" + "\u0301" * 2000 + " ", "👨\u200d", "\u1100", "\U000e0061")


@from_both_sides
@with_counters
@pytest.mark.parametrize("unit", ENDLESS)
def test_characters_without_an_end_are_cut_with_few_counts(
    cut: Cut, counter: Counter, unit: str
) -> None:
    text = (unit * 6400)[:6400]
    for max_tokens in (3, 100, 400, 800):
        watched = Watched(counter)

        kept = cut(text, max_tokens, watched)

        assert len(watched.lengths) <= 40
        assert max_tokens < 400 or kept


def test_a_counter_that_jumps_about_is_never_believed_unasked() -> None:
    class Moody:
        name = "moody"
        estimated = True

        def count(self, text: str) -> int:
            return random.Random(len(text)).randrange(0, len(text) // 2 + 1)

        def count_many(self, texts: Sequence[str]) -> list[int]:
            return [self.count(text) for text in texts]

    for max_tokens in range(1, 60):
        assert Moody().count(longest_start(PROSE * 20, max_tokens, Moody())) <= max_tokens


@with_counters
def test_whether_a_text_fits_is_known_without_counting_far_more_than_fits(counter: Counter) -> None:
    watched = Watched(counter)

    assert not fits("word " * 200_000, 100, watched)
    assert sum(watched.lengths) < 10_000
    assert tokens_within("word " * 4, 4, Counters().get("whitespace")) == 4
    assert tokens_within("word " * 5, 4, Counters().get("whitespace")) is None
