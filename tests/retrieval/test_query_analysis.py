"""A query is read for its keywords, its language, its phrases and the files it names."""

from __future__ import annotations

import pytest
from hypothesis import given, strategies as st

from biblicus_context.retrieval import QueryAnalysis, analyze_query
from tests.pace import within


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("When do we ship the lamps?", "en"),
        ("Wann verschicken wir die Lampen?", "de"),
        ("Quand est-ce que nous livrons les lampes ?", "fr"),
        ("¿Cuándo enviamos las lámparas?", "es"),
        ("Quando spediamo le lampade con il corriere?", "it"),
        ("Wanneer versturen we het pakket?", "nl"),
        ("Quando é que nós enviamos o pacote?", "pt"),
        ("いつ発送しますか", "ja"),
        ("我们什么时候发货", "zh"),
        ("언제 배송하나요", "ko"),
        ("Когда мы отправляем?", "ru"),
        ("Коли ми відправляємо її?", "uk"),
        ("lamp.py", None),
        ("", None),
    ],
)
def test_the_language_is_known_by_script_or_function_words(text: str, language: str | None):
    assert analyze_query(text).language == language


def test_keywords_are_without_the_function_words_of_the_language_and_each_once():
    assert analyze_query("When does the lamp ship, and which lamp?").keywords == ("lamp", "ship")
    assert analyze_query("Wann verschicken wir die Lampen?").keywords == ("verschicken", "lampen")


@pytest.mark.parametrize(
    ("text", "phrases"),
    [
        ('Find "ship on  Friday" and “red lamp” and "ship on Friday"', ("ship on Friday", "red lamp")),
        ("„rote Lampe“ «lampe rouge»", ("rote Lampe", "lampe rouge")),
        ('an open " quote', ()),
        ('"" and " "', ()),
        ("it's Ada's", ()),
    ],
)  # fmt: skip
def test_what_is_in_quotes_is_a_phrase(text: str, phrases: tuple[str, ...]):
    assert analyze_query(text).phrases == phrases


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("What is in docs/timeline.md?", ("docs/timeline.md",)),
        ("Compare `a-b.test.ts`, (src\\app.py) and README.md.", ("a-b.test.ts", "src/app.py", "README.md")),
        ("e.g. version 1.2 at https://example.org/a.html or www.example.org", ()),
    ],
)  # fmt: skip
def test_names_of_files_are_found(text: str, names: tuple[str, ...]):
    assert analyze_query(text).file_names == names


@given(st.text() | st.text("\"'“”.a/\\ "))
def test_any_text_has_an_analysis_and_the_same_one_again(text: str):
    found = analyze_query(text)
    assert found == analyze_query(text)
    assert isinstance(found, QueryAnalysis)
    assert len(set(found.keywords)) == len(found.keywords)


@pytest.mark.parametrize("text", ['"' * 1_000_000, "a/" * 500_000, "a." * 500_000, "“" * 500_000])
def test_hostile_texts_take_bounded_time(text: str):
    with within(1):
        analyze_query(text)
