"""The texts that fit are found exactly, and by measuring little more than all of them once."""

from __future__ import annotations

import pytest
from hypothesis import given, strategies as st

from biblicus_context.retrieval.packs.fitters import longest_fit
from biblicus_context.text.counters import Counters
from biblicus_context.text.counters.simple import FunctionCounter

LETTERS = FunctionCounter("letters", len)
rows = st.lists(st.text("ab c", min_size=1, max_size=9), min_size=1, max_size=9)


def joined(texts: list[str], kept: set[int], join_with: str) -> str:
    return join_with.join(texts[position] for position in sorted(kept))


@given(rows, st.data(), st.sampled_from(["", " ", "--"]))
def test_what_fits_is_what_trying_every_number_finds(
    texts: list[str], data: st.DataObject, join_with: str
) -> None:
    ranking = data.draw(st.permutations(range(len(texts))))
    required = ranking[: data.draw(st.integers(0, len(texts)))]
    ranking = ranking[len(required) :]
    least = len(joined(texts, set(required), join_with))
    maximum = data.draw(st.integers(least, least + 30))
    possible = [position for position in ranking if len(texts[position]) <= maximum - least]
    fitting = [
        {*required, *possible[:number]}
        for number in range(len(possible) + 1)
        if len(joined(texts, {*required, *possible[:number]}, join_with)) <= maximum
    ]
    found = longest_fit(
        texts,
        join_with=join_with,
        counter=LETTERS,
        maximum=maximum,
        ranking=ranking,
        required=required,
    )
    assert found == fitting[-1]


@pytest.mark.parametrize("part", [0.001, 0.3, 0.7, 0.999, 2])
@pytest.mark.parametrize("join_with", ["", "\n\n"])
def test_ten_thousand_texts_are_measured_a_few_times_over(part: float, join_with: str) -> None:
    texts = [f"Paragraph {place} has a few words of its own." for place in range(10_000)]
    counter = Counters().get("o200k_base")
    measured = 0

    def tokens(text: str) -> int:
        nonlocal measured
        measured += len(text)
        return counter.count(text)

    whole = join_with.join(texts)
    maximum = int(counter.count(whole) * part)
    kept = longest_fit(
        texts,
        join_with=join_with,
        counter=FunctionCounter("observed", tokens),
        maximum=maximum,
        ranking=range(len(texts)),
    )
    assert counter.count(joined(texts, kept, join_with)) <= maximum
    assert measured <= 6 * len(whole)
