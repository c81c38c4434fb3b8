"""Words and stems are those of SQLite's tokenizer, which every index was made with before."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from contextlib import closing

import pytest
from hypothesis import given, settings, strategies as st

from biblicus_context.stores.words import stems_of

ENDINGS = [
    "ational",
    "tional",
    "enci",
    "anci",
    "izer",
    "logi",
    "bli",
    "alli",
    "entli",
    "eli",
    "ousli",
    "ization",
    "ation",
    "ator",
    "alism",
    "iveness",
    "fulness",
    "ousness",
    "aliti",
    "iviti",
    "biliti",
    "ical",
    "ness",
    "icate",
    "iciti",
    "ful",
    "ative",
    "alize",
    "al",
    "ance",
    "ence",
    "er",
    "ic",
    "able",
    "ible",
    "ant",
    "ement",
    "ment",
    "ent",
    "ion",
    "ou",
    "ism",
    "ate",
    "iti",
    "ous",
    "ive",
    "ize",
    "eed",
    "ed",
    "ing",
    "sses",
    "ies",
    "ss",
    "s",
    "y",
    "e",
    "ll",
    "at",
    "bl",
    "iz",
]
letters = st.text("aeiouybcdlmnstxzwé界", max_size=6)
english = st.builds(
    "".join, st.tuples(letters, st.lists(st.sampled_from(ENDINGS), max_size=3).map("".join))
)
scripts = st.text(
    st.one_of(
        st.characters(max_codepoint=0x7F),
        st.characters(min_codepoint=0x80, max_codepoint=0x24F),
        st.characters(min_codepoint=0x300, max_codepoint=0x36F),  # accents
        st.characters(min_codepoint=0x370, max_codepoint=0x1FFF, exclude_categories=("Cs",)),
        st.characters(min_codepoint=0x2000, exclude_categories=("Cs",)),
    ),
    max_size=40,
)


def of_sqlite(texts: Sequence[str]) -> list[tuple[str, ...]]:
    with closing(sqlite3.connect(":memory:", isolation_level=None)) as connection:
        connection.executescript(
            "CREATE VIRTUAL TABLE words USING fts5 (text, content='',"
            " tokenize='porter unicode61 remove_diacritics 2');"
            "CREATE VIRTUAL TABLE places USING fts5vocab (words, instance);"
        )
        connection.executemany("INSERT INTO words (rowid, text) VALUES (?, ?)", enumerate(texts))
        found: list[list[str]] = [[] for _ in texts]
        for row, term in connection.execute("SELECT doc, term FROM places ORDER BY doc, offset"):
            found[row].append(term)
    return [tuple(each) for each in found]


@given(st.lists(english, min_size=1, max_size=60))
@settings(max_examples=2 * settings().max_examples)
def test_every_ending_is_cut_as_porters_stemmer_cuts_it(words: list[str]):
    assert [stems_of(word) for word in words] == of_sqlite(words)


@given(st.lists(scripts | english, min_size=1, max_size=30))
@settings(max_examples=2 * settings().max_examples)
def test_texts_of_every_script_are_split_and_compared_alike(texts: list[str]):
    assert [stems_of(text) for text in texts] == of_sqlite(texts)


def test_every_character_makes_words_or_ends_them_alike():
    """Alone and inside of a word."""
    codes = [
        *range(1, 0x3400),
        *range(0xA000, 0xAC00),
        *range(0xF900, 0x12000),
        *range(0x1F000, 0x1FB00),
    ]
    texts = [f"{chr(code)} q{chr(code)}z" for code in codes]
    assert [stems_of(text) for text in texts] == of_sqlite(texts)


@pytest.mark.parametrize(
    ("text", "stems"),
    [
        ("", ()),
        ("— … !", ()),
        ("Ann\0Bob", ("ann", "bob")),
        ("lone \ud800 surrogate", ("lone", "surrog")),
        ("x" * 40_000, ("x" * 32_768,)),
        ("a" * 65, ("a" * 65,)),
        ("e\u0301te\u0301 été ÉTÉ", ("et", "et", "et")),
        ("don’t", ("don", "t")),
    ],
)
def test_what_is_not_a_plain_word_has_stems_too(text: str, stems: tuple[str, ...]):
    assert stems_of(text) == stems
