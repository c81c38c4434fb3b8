"""Blocks that say the same: one stays, and the others name it."""

from __future__ import annotations

import random
import subprocess
import sys

import pytest
from hypothesis import given, strategies as st
from rapidfuzz import fuzz

from biblicus_context.retrieval.duplicates import NEAR, TextEntry, find_duplicates
from tests.pace import within
from tests.retrieval import sparingly

WORDS = [f"{one}{two}{three}" for one in "bdfgklm" for two in "aeiou" for three in "nrstv"]

entries = st.lists(
    st.builds(
        TextEntry, st.sampled_from("abcdefgh"), st.text(alphabet="xy \n", max_size=6), st.booleans()
    ),
    max_size=12,
)


def prose(words: int, seed: int) -> str:
    return " ".join(random.Random(seed).choices(WORDS, k=words))


def changed(text: str, share: float, seed: int) -> str:
    """The text with this share of its words replaced."""
    chance = random.Random(seed)
    words = text.split()
    for place in chance.sample(range(len(words)), int(share * len(words))):
        words[place] = chance.choice(WORDS)
    return " ".join(words)


@sparingly
@given(entries)
def test_every_entry_is_kept_or_duplicates_an_earlier_one_that_is_kept(
    row: list[TextEntry],
) -> None:
    found = find_duplicates(row)
    dropped = {duplicate.dropped for duplicate in found}
    assert len(dropped) == len(found)
    assert all(
        duplicate.kept < duplicate.dropped and duplicate.kept not in dropped for duplicate in found
    )


@sparingly
@given(entries)
def test_kept_entries_differ_in_id_and_unless_they_are_turns_in_text(row: list[TextEntry]) -> None:
    dropped = {duplicate.dropped for duplicate in find_duplicates(row, near=None)}
    kept = [entry for place, entry in enumerate(row) if place not in dropped]
    assert len({entry.id for entry in kept}) == len(kept)
    texts = [entry.text.split() for entry in kept if not entry.is_turn]
    assert len({tuple(text) for text in texts}) == len(texts)


@sparingly
@given(entries)
def test_a_reason_is_true(row: list[TextEntry]) -> None:
    for duplicate in find_duplicates(row):
        one, other = row[duplicate.kept], row[duplicate.dropped]
        match duplicate.reason:
            case "same id":
                assert one.id == other.id
            case "same text":
                assert one.text.split() == other.text.split()
            case "near-duplicate":
                assert duplicate.likeness == fuzz.ratio(_flat(one), _flat(other)) / 100 >= NEAR


def _flat(entry: TextEntry) -> str:
    return " ".join(entry.text.split()).casefold()


def test_a_turn_only_duplicates_itself() -> None:
    row = [
        TextEntry("a", "Yes."),
        TextEntry("b", "Yes.", is_turn=True),
        TextEntry("c", "Yes.", is_turn=True),
    ]
    assert find_duplicates(row) == []
    assert [duplicate.reason for duplicate in find_duplicates([*row, row[1]])] == ["same id"]


def test_near_duplicates_are_found_only_on_request() -> None:
    text = prose(80, seed=1)
    row = [TextEntry("a", text), TextEntry("b", f"{text} more")]
    assert find_duplicates(row, near=None) == []
    assert [duplicate.reason for duplicate in find_duplicates(row)] == ["near-duplicate"]


@pytest.mark.parametrize("words", [12, 60, 300])
@pytest.mark.parametrize("share", [0.0, 0.02, 0.05])
def test_near_duplicates_are_found_in_texts_of_any_length(words: int, share: float) -> None:
    originals = [TextEntry(f"o{n}", prose(words, seed=n)) for n in range(60)]
    copies = [TextEntry(f"c{n}", changed(each.text, share, n)) for n, each in enumerate(originals)]
    alike = {
        (place, place + 60)
        for place, (one, other) in enumerate(zip(originals, copies, strict=True))
        if fuzz.ratio(one.text, other.text) >= 100 * NEAR
    }
    found = {
        (duplicate.kept, duplicate.dropped) for duplicate in find_duplicates([*originals, *copies])
    }
    assert alike
    assert found == alike


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("東京都の人口は約千四百万人で、日本で最も多い。" * 3, "東京都の人口は約千四百万人で、日本で最も少ない。" * 3),
        ("ok thanks, see you on monday", "ok thanks, see you on mondey"),
        ("x" * 400 + "yes", "x" * 400 + "no"),
        ("antidisestablishmentarianism", "antidisestablishmentarianist"),
        ("eight words stand here before " * 2 + "x" * 90, "eight words stand here before " * 2 + "x" * 91),
        ("caf\ud800 au lait, s'il vous plait", "caf\ud800 au lait, s'il vous plaît"),
    ],
)  # fmt: skip
def test_short_unspaced_and_broken_texts_have_duplicates_too(one: str, other: str) -> None:
    assert [
        duplicate.kept
        for duplicate in find_duplicates([TextEntry("a", one), TextEntry("b", other)])
    ] == [0]


def test_texts_that_share_only_boilerplate_both_stay() -> None:
    licence = "Licensed under the terms of the licence that stands in the root folder. " * 3
    row = [TextEntry(str(n), licence + prose(100, seed=n)) for n in range(50)]
    assert find_duplicates(row) == []


def test_very_long_texts_are_duplicates_only_if_they_are_equal() -> None:
    text = prose(20_000, seed=1)
    row = [
        TextEntry("a", text),
        TextEntry("b", f"{text} more"),
        TextEntry("c", text.replace(" ", "\n")),
    ]
    assert [(duplicate.dropped, duplicate.reason) for duplicate in find_duplicates(row)] == [
        (2, "same text")
    ]


def test_ten_thousand_blocks_are_compared_without_comparing_each_with_each() -> None:
    row = [TextEntry(str(n), prose(100, seed=n)) for n in range(7_000)]
    row += [TextEntry(f"c{n}", changed(row[n].text, 0.05, n)) for n in range(3_000)]
    with within(3):
        found = find_duplicates(row)
    assert len(found) > 2_900


def test_duplicates_do_not_depend_on_the_hash_seed_of_the_process() -> None:
    code = (
        "from biblicus_context.retrieval.duplicates import TextEntry, find_duplicates\n"
        "row = [TextEntry(str(n), ' '.join(str(n // 3 * k) for k in range(40 + n % 3))) for n in range(60)]\n"
        "print([(duplicate.kept, duplicate.dropped) for duplicate in find_duplicates(row)])"
    )
    answers = {
        subprocess.run(
            [sys.executable, "-c", code],
            env={"PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("0", "1")
    }
    assert len(answers) == 1
    assert "(0, 1)" in answers.pop()
