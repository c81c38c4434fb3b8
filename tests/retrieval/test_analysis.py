"""What is searched: words of a query, and the text that is indexed for each kind of block."""

from __future__ import annotations

import pytest
from hypothesis import given, strategies as st

from biblicus_context.retrieval.analysis import (
    STOP_WORDS,
    code_index_text,
    identifier_parts,
    query_terms,
    rare_terms,
    split_identifiers,
    text_index_text,
    turn_index_text,
)
from tests.retrieval import sparingly

SYNTAX = '"*()^:-+{}[]<>=;,.!?/\\|&~`@#$%\0\n'
queries = st.text() | st.text(alphabet=SYNTAX + "'’abcORNEAR ")
words = st.text(alphabet=st.characters(categories=["Ll"], max_codepoint=0x24F), min_size=1)


@sparingly
@given(queries)
def test_a_term_never_holds_anything_a_search_could_take_for_syntax(query: str) -> None:
    for term in query_terms(query):
        assert term
        assert not set(term) & set(SYNTAX + "'’ _")


@pytest.mark.parametrize(
    ("query", "terms"),
    [
        ("What’s Ada's plan?", ("ada", "plan")),
        ("who can't, isn’t", ("who", "can", "t", "isn", "t")),
        ("the dog's bone isn't here", ("dog", "bone")),
        ("O'Neil", ("o", "neil")),
        ('say "x" OR NEAR(y*)', ("say", "x", "near", "y")),
        ("who won vitamin D", ("won", "vitamin", "d")),
        ("retry the retry", ("retry", "retry")),
        ("to be or not to be", ("to", "be", "or", "not", "to", "be")),
        ("snake_case and camelCase", ("snake", "case", "camelcase", "camel", "case")),
        ("GitHub on an iPhone", ("github", "iphone")),
        ("東京都の", ("東京", "京都", "都の")),
        ("Größe naïve", ("größe", "naïve")),
        ("?!", ()),
        ("", ()),
    ],
)
def test_a_query_is_its_telling_words_in_order(query: str, terms: tuple[str, ...]) -> None:
    assert query_terms(query) == terms


def test_stop_words_are_the_callers_to_choose() -> None:
    assert query_terms("der Hund und die Katze", {"der", "und", "die"}) == ("hund", "katze")
    assert query_terms("the dog", ()) == ("the", "dog")


@sparingly
@given(st.lists(words, min_size=1))
def test_only_a_query_without_other_words_keeps_its_stop_words(row: list[str]) -> None:
    terms = query_terms(" ".join(row))
    assert terms
    assert not set(terms) & STOP_WORDS or set(terms) <= STOP_WORDS


def test_a_whole_book_as_a_query_costs_no_more_than_its_beginning() -> None:
    assert len(query_terms("word " * 1_000_000)) < 1_000


@sparingly
@given(
    st.lists(st.sampled_from("abcd")),
    st.dictionaries(st.sampled_from("abcd"), st.integers(0, 100)),
)
def test_common_terms_go_unless_all_are_common(terms: list[str], found_in: dict[str, int]) -> None:
    kept = rare_terms(terms, found_in, 100, share=0.3)
    rare = [term for term in terms if found_in.get(term, 0) <= 30]
    assert list(kept) == (rare if any(found_in.get(term, 0) for term in rare) else terms)


def test_a_word_that_stands_nowhere_takes_nothing_from_a_common_one() -> None:
    assert rare_terms(["lamp", "refund"], {"lamp": 90}, 100) == ("lamp", "refund")


@pytest.mark.parametrize(
    ("name", "apart"),
    [
        ("HTTPServer", "HTTP Server"),
        ("get_userName2", "get user Name 2"),
        ("x", "x"),
        ("Größe", "Größe"),
        ("", ""),
    ],
)
def test_a_name_is_taken_apart_into_its_words(name: str, apart: str) -> None:
    assert split_identifiers(name) == apart


@sparingly
@given(st.text(alphabet=st.characters(max_codepoint=0x17F)))
def test_taking_names_apart_loses_no_letter(text: str) -> None:
    kept = "".join(letter for letter in text if letter.isalnum())
    assert split_identifiers(text).replace(" ", "") == kept


def test_only_names_in_camel_case_have_parts_and_each_counts_once() -> None:
    assert identifier_parts("readAll(x); read_all(readAll, writeAll)") == ["read", "All", "write"]


def test_prose_is_searched_as_it_stands() -> None:
    assert text_index_text("Plain words, ÄÖÜ.") is None


def test_scripts_without_spaces_are_searched_by_pairs() -> None:
    indexed = text_index_text("Visit 東京都.")
    assert indexed is not None
    assert {"東京", "京都"} <= set(indexed.split())
    assert set(query_terms("京都")) <= set(indexed.split())


def test_code_names_its_language_and_says_its_name_and_docstring_twice() -> None:
    code = 'def readAll(path):\n    """Every line."""'
    indexed = code_index_text(code, language="python", name="readAll", docstring="Every line.")
    assert indexed == f"python {code}\nread All\nread All. Every line."


def test_code_without_a_name_is_still_found_by_its_language() -> None:
    assert code_index_text("x = 1", language="python") == "python x = 1"
    assert code_index_text("x = 1", language="c", docstring="One.") == "c x = 1\nOne."


@pytest.mark.parametrize(
    ("speaker", "date", "line"),
    [
        ("Ada", "8 May", "Ada (8 May): Hi."),
        ("Ada", "", "Ada: Hi."),
        ("", "8 May", "8 May: Hi."),
        ("", "", "Hi."),
    ],
)
def test_a_turn_is_searched_with_who_said_it_and_when(speaker: str, date: str, line: str) -> None:
    assert turn_index_text("Hi.", speaker=speaker, date=date) == line


@sparingly
@given(st.text())
def test_what_is_shown_is_always_searched(text: str) -> None:
    assert text in (text_index_text(text) or text)
    assert text in code_index_text(text, language="python")
    assert text in turn_index_text(text, speaker="Ada")
