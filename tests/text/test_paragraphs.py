"""Where a vocabulary may be counted paragraph by paragraph."""

from __future__ import annotations

import pytest
from hypothesis import given, settings, strategies as st

from biblicus_context.text.counters import RememberingCounter
from biblicus_context.text.counters.paragraphs import BREAK, paragraphs, separable
from biblicus_context.text.counters.shared import BUILT_IN
from biblicus_context.text.counters.splintr_library import SplintrCounter, bundled
from biblicus_context.text.counters.vocabularies import VOCABULARIES
from tests.text.samples import SCRIPTS, texts

SPLITTING = [each.name for each in VOCABULARIES if each.splits_at_paragraphs]
raw = {
    each.name: SplintrCounter(each.name, lambda n=each.name: bundled(n)) for each in VOCABULARIES
}
separators = st.sampled_from([BREAK, BREAK, "\n---\n\n", "\n\n\n", "\n", " ", ""])
in_parts = st.lists(st.tuples(texts, separators), max_size=6).map(
    lambda pairs: [one for pair in pairs for one in pair][:-1]
)
"""A text in parts: a part, what separates it from the next one, and so on."""


@settings(max_examples=2 * settings().max_examples, deadline=None)
@given(text=texts, parts=in_parts)
def test_paragraphs_join_to_the_text(text: str, parts: list[str]) -> None:
    """Cutting loses nothing, and neither does joining what must not be cut."""
    assert BREAK.join(paragraphs(text)) == text
    assert BREAK.join(separable(parts)) == "".join(parts)


@pytest.mark.parametrize("name", SPLITTING)
@given(parts=st.lists(texts, min_size=2, max_size=5))
def test_a_text_counts_as_much_as_its_paragraphs(name: str, parts: list[str]) -> None:
    """Each paragraph with the break behind it adds up to the whole, to the token."""
    text = BREAK.join(parts)
    *closed, last = paragraphs(text)
    alone = raw[name].count_many([*(part + BREAK for part in closed), last])
    assert sum(alone) == raw[name].count(text)


@pytest.mark.parametrize("name", [*SPLITTING, "llama2"])
@given(parts=in_parts)
def test_parts_count_as_much_as_the_text_they_join_to(name: str, parts: list[str]) -> None:
    """Whatever ends or begins a part, and whether or not the vocabulary can be cut."""
    remembering = RememberingCounter(raw[name], splits_at_paragraphs=name in SPLITTING)
    expected = raw[name].count_many(["".join(parts), "", "word"])
    assert remembering.count_joined([parts, [], ["word"]]) == expected
    assert remembering.count("".join(parts)) == expected[0]


@given(parts=st.lists(texts, max_size=5), separator=separators)
def test_what_follows_a_text_is_counted_with_it(parts: list[str], separator: str) -> None:
    """A separator belongs to the text before it."""
    remembering = RememberingCounter(raw["o200k_base"], splits_at_paragraphs=True)
    followed = raw["o200k_base"].count_many([part + separator for part in parts])
    assert remembering.count_followed(parts, separator) == followed


@pytest.mark.parametrize("name", SPLITTING)
@given(parts=st.lists(texts, min_size=2, max_size=6))
def test_remembering_gives_the_figure_of_the_vocabulary(name: str, parts: list[str]) -> None:
    """A text joined from paragraphs that were counted before costs what counting it again says."""
    remembering = RememberingCounter(raw[name], splits_at_paragraphs=True)
    remembering.count_many(parts)
    text = BREAK.join(parts) + BREAK
    assert remembering.count(text) == raw[name].count(text)
    long = text * 40 + "end"
    assert remembering.count(long) == raw[name].count(long)


def test_a_vocabulary_that_depends_on_what_stands_in_front_is_not_cut() -> None:
    """Vocabularies that put a space in front of a text would count it once for each paragraph."""
    whole, *parts = "Eins.\n\nßig", "Eins.\n\n", "ßig"
    assert raw["llama2"].count(whole) != sum(raw["llama2"].count_many(parts))
    text = BREAK.join([*SCRIPTS] * 3)
    for name in ("llama2", "codellama", "mistral_v1", "mistral_v2", "modernbert"):
        assert BUILT_IN[name].count(text) == raw[name].count(text)
