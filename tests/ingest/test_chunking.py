"""Chunks keep to their sizes, to the seams of a text, and lose nothing."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import assume, example, given, settings, strategies as st

from biblicus_context.errors import InputError
from biblicus_context.ingest import ChunkSettings, Content, Section
from biblicus_context.ingest.chunks.chunking import chunks
from tests.ingest.build import MOMENT, TOKENS, WORDS, parsed
from tests.pace import within

SMALL = ChunkSettings(target=8, most=12, least=3, whole=0)
WORD = st.text(
    st.one_of(st.sampled_from("abc.!?#|-*`~ä東\u2028\x85\x0c😀"), st.characters(codec="utf-8")),
    min_size=1,
    max_size=12,
)
LINE = st.lists(WORD, max_size=20).map(" ".join)
TEXT = st.lists(
    st.one_of(LINE, st.sampled_from(["", "", "```", "# One", "    code", "- item", "| a | b |"])),
    max_size=25,
).map("\n".join)
KINDS = st.sampled_from(["prose", "code", "turn", "record", "row"])
SIZES = st.tuples(
    st.integers(8, 40), st.integers(0, 30), st.integers(0, 8), st.integers(0, 60)
).map(lambda n: ChunkSettings(n[0], n[0] + n[1], min(n[2], n[0]), n[3]))


def allowed(sizes: ChunkSettings, kinds: Sequence[str]) -> int:
    """The tokens of the largest chunk that sections of these kinds may have."""
    sections = [Section("", kind=kind) for kind in kinds]
    whole = [sizes.most_of(each, is_alone=len(sections) == 1) for each in sections]
    return max([sizes.most, *whole])


def of(text: str, settings: ChunkSettings = SMALL, kind: str = "prose") -> list[str]:
    return [each.text for each in chunks([Section(text, first_line=1, kind=kind)], settings, WORDS)]


def solid(text: str) -> str:
    return "".join(text.split())


@pytest.mark.parametrize("counter", [WORDS, TOKENS], ids=["words", "tokens"])
@settings(max_examples=150)
@given(parts=st.lists(st.tuples(TEXT, KINDS), max_size=4), sizes=SIZES)
@example(parts=[("\n\n a\n\n", "code")], sizes=SMALL)
@example(parts=[("x" * 500, "prose"), ("```\n" + "y\n\n" * 50, "prose")], sizes=SMALL)
def test_nothing_is_lost_or_doubled_and_none_is_too_large(counter, parts, sizes):
    sections = [
        Section(text, first_line=1 + 100 * n, kind=kind) for n, (text, kind) in enumerate(parts)
    ]
    cut = chunks(sections, sizes, counter)
    assert solid("".join(each.text for each in cut)) == solid("".join(text for text, _ in parts))
    for each in cut:
        assert each.text.strip()
        assert each.tokens == counter.count(each.text)
        assert each.tokens <= allowed(sizes, [kind for _, kind in parts])
        assert each.text == each.text.rstrip()


@pytest.mark.parametrize("kind", ["record", "row", "code"])
def test_a_record_or_a_unit_of_code_stays_whole_up_to_its_limit(kind: str):
    sizes = ChunkSettings(target=8, most=12, least=3, whole=20)
    paragraphs = [" ".join(["ab"] * 5)] * 4
    others = [Section("something else", kind=kind), Section("and more", kind=kind)]
    for count, whole in ((4, True), (5, False)):
        text = "\n\n".join([*paragraphs, "one"][:count])
        cut = chunks([Section(text, kind=kind), *others], sizes, WORDS)
        assert (text in [each.text for each in cut]) == whole


def test_a_document_of_one_section_stays_whole_and_a_section_of_many_does_not():
    sizes = ChunkSettings(target=8, most=12, least=3, whole=20)
    text = "\n\n".join([" ".join(["ab"] * 5)] * 4)
    assert [each.text for each in chunks([Section(text)], sizes, WORDS)] == [text]
    two = [Section(text, heading=("One",)), Section(text, heading=("Two",))]
    assert len(chunks(two, sizes, WORDS)) == 8


@settings(max_examples=150)
@given(text=TEXT, sizes=SIZES)
def test_the_lines_of_a_chunk_hold_its_text(text: str, sizes: ChunkSettings):
    lines = text.split("\n")
    last = 1
    for each in chunks([Section(text, first_line=1)], sizes, WORDS):
        assert each.lines is not None
        first, end = each.lines
        assert last <= first <= end <= len(lines)
        assert each.text in "\n".join(lines[first - 1 : end])
        last = end


@settings(max_examples=150)
@given(parts=st.lists(TEXT, min_size=1, max_size=4), sizes=SIZES)
@example(parts=["\x1f\x08"], sizes=SMALL)
def test_the_lines_of_joined_chunks_hold_their_text(parts: list[str], sizes: ChunkSettings):
    source = "\n".join(f"# H{n}\n{part}" for n, part in enumerate(parts))
    source = source.replace("\r\n", "\n").replace("\r", "\n").replace("\0", "")
    assume(not Content("a.md", source.encode(), MOMENT).looks_binary)
    lines = source.split("\n")
    for each in chunks(parsed("a.md", source).sections, sizes, WORDS):
        assert each.lines is not None
        held = "\n".join(lines[each.lines[0] - 1 : each.lines[1]])
        assert solid(each.text) in solid(held)


def test_a_section_that_fits_is_one_chunk():
    assert of("one two\n\nthree four\n") == ["one two\n\nthree four"]


def test_a_larger_section_is_cut_between_paragraphs():
    text = "a b c d e\n\nf g h\n\ni j k l m n\n\no p"
    assert of(text) == ["a b c d e\n\nf g h", "i j k l m n\n\no p"]


def test_a_large_paragraph_is_cut_between_sentences_wherever_its_lines_break():
    text = "One two three\nfour five. Six seven eight nine\nten eleven. Twelve thirteen fourteen."
    assert of(text) == [
        "One two three\nfour five.",
        "Six seven eight nine\nten eleven.",
        "Twelve thirteen fourteen.",
    ]


def test_a_long_list_is_cut_between_items():
    text = "\n".join(f"- item {n} goes\n  on here" for n in range(4))
    assert of(text) == [f"- item {n} goes\n  on here" for n in range(4)]


def test_a_long_table_is_cut_between_rows():
    text = "\n".join(f"| a{n} | b{n} |" for n in range(5))
    assert of(text) == ["| a0 | b0 |", "| a1 | b1 |", "| a2 | b2 |", "| a3 | b3 |", "| a4 | b4 |"]


def test_fenced_code_keeps_its_blank_lines_as_long_as_it_fits():
    text = "one two three four five six\n\n```\na b\n\nc d\n```\n\nseven"
    assert of(text) == ["one two three four five six", "```\na b\n\nc d\n```\n\nseven"]


def test_code_is_cut_between_lines():
    text = "\n".join(f"    call_{n}(a, b, c)" for n in range(5))
    assert of(text, kind="code") == [
        "    call_0(a, b, c)\n    call_1(a, b, c)",
        "    call_2(a, b, c)\n    call_3(a, b, c)",
        "    call_4(a, b, c)",
    ]


def test_the_indentation_of_the_first_line_stays():
    assert of("\n\n    indented\n\n", kind="code") == ["    indented"]


def test_a_sentence_too_long_is_cut_between_words():
    cut = of(" ".join("abcdefghijklmnopqrstuvwxyz"))
    assert [len(each.split()) for each in cut] == [12, 12, 2]


def test_small_sections_share_a_chunk_under_what_they_have_in_common():
    sections = [
        Section("a", first_line=1, heading=("A", "B", "C")),
        Section("b", first_line=3, heading=("A", "X", "C")),
    ]
    (chunk,) = chunks(sections, SMALL, WORDS)
    assert (chunk.text, chunk.lines, chunk.section.heading) == ("a\n\nb", (1, 3), ("A",))


def test_small_units_of_code_keep_both_names():
    sections = [
        Section("one", first_line=1, heading=("f",), kind="code", name="f", summary="First."),
        Section("two", first_line=2, heading=("g",), kind="code", name="g", summary="Second."),
    ]
    (chunk,) = chunks(sections, SMALL, WORDS)
    assert (chunk.text, chunk.section.name, chunk.section.summary) == (
        "one\ntwo",
        "f g",
        "First.\nSecond.",
    )


@pytest.mark.parametrize(
    "other",
    [
        Section("b", kind="code"),
        Section("b", metadata={"page": 2}),
        Section("b", session="s"),
        Section(" ".join("bcdefghi")),
    ],
)
def test_sections_that_differ_or_are_large_stay_apart(other: Section):
    assert len(chunks([Section("a"), other], SMALL, WORDS)) == 2


@pytest.mark.parametrize("kind", ["turn", "record"])
def test_turns_and_records_are_never_joined(kind):
    assert len(chunks([Section("a", kind=kind), Section("b", kind=kind)], SMALL, WORDS)) == 2


def test_rows_of_many_share_a_chunk_up_to_the_target():
    rows = [Section(f"a {n}", first_line=n, last_line=n, kind="row") for n in range(1, 6)]
    sizes = ChunkSettings(least=5, target=20, most=30)
    cut = chunks([*rows, Section("b c d e f g", kind="row")], sizes, WORDS)
    assert [(each.text, each.lines) for each in cut] == [
        ("a 1\n\na 2\n\na 3\n\na 4\n\na 5", (1, 5)), ("b c d e f g", None)
    ]  # fmt: skip


def test_sections_without_lines_are_joined_by_a_blank_line():
    (chunk,) = chunks([Section("a"), Section("b")], SMALL, WORDS)
    assert (chunk.text, chunk.lines) == ("a\n\nb", None)


@pytest.mark.parametrize(("least", "target", "most"), [(5, 4, 9), (1, 9, 8), (-1, 4, 8), (0, 0, 0)])
def test_sizes_that_contradict_each_other_are_refused(least: int, target: int, most: int):
    with pytest.raises(InputError, match="least <= target <= most"):
        ChunkSettings(least=least, target=target, most=most)


@pytest.mark.parametrize(
    "text",
    [
        "x" * 400_000,
        "word " * 200_000,
        "\n" * 1_000_000,
        "```\n\n" * 40_000,
        "- a\n" * 40_000,
        "a. " * 60_000,
        "東" * 300_000,
        "\ufffd" * 300_000,
        "`" * 200_000,
        "\u0301" * 20_000,
        ("a" + "\u0301" * 2000 + " ") * 10,
        "👨\u200d" * 10_000,
        "\u1100" * 20_000,
    ],
    ids=[
        *("letters", "words", "blank", "fences", "items", "sentences", "unspaced", "damaged"),
        *("backticks", "accents", "accented", "joined", "syllables"),
    ],
)
@pytest.mark.parametrize("kind", ["prose", "code"])
def test_a_large_text_of_one_kind_takes_a_moment(text: str, kind: str):
    with within(5):
        cut = chunks([Section(text, kind=kind)], ChunkSettings(), TOKENS)
    assert solid("".join(each.text for each in cut)) == solid(text)
    assert all(each.tokens <= 512 for each in cut)


@pytest.mark.parametrize("unit", ["\u0301", "👨\u200d", "👨\u200d👩\u200d👧\u200d👦", "\u1100"])
@pytest.mark.parametrize("most", [1, 2, 12])
def test_a_character_of_more_tokens_than_fit_is_cut_itself(unit: str, most: int):
    text = (unit * 4_000)[:4_000]
    with within(3):
        cut = chunks([Section(text)], ChunkSettings(least=0, target=1, most=most), TOKENS)
    assert "".join(each.text for each in cut) == text
    # Where one code point has more tokens than a chunk may have, it is a chunk all the same.
    assert all(each.tokens <= most or len(each.text) == 1 for each in cut)


def test_where_parts_count_more_together_than_apart_no_chunk_is_too_large():
    class Growing:
        """Counts the square of the words."""

        name = "growing"
        estimated = False

        def count(self, text: str) -> int:
            return len(text.split()) ** 2

        def count_many(self, texts: Sequence[str]) -> list[int]:
            return [self.count(text) for text in texts]

    sizes = ChunkSettings(least=3, target=8, most=9)
    sections = [Section("a\n\nb\n\nc\n\nd\n\ne"), Section("f g"), Section("h"), Section("i")]
    cut = chunks(sections, sizes, Growing())
    assert all(each.tokens <= 9 for each in cut)
    assert solid("".join(each.text for each in cut)) == "abcdefghi"


@settings(max_examples=200)
@given(st.lists(st.tuples(st.integers(1, 3), st.integers(0, 9)), min_size=1, max_size=9))
def test_no_block_is_a_heading_alone(parts: list[tuple[int, int]]):
    """Where any text is below it, and fits into a block with it."""
    empty = "".join("." if words else "#" for _, words in parts)
    assume("####" not in empty)  # so many headings fill a block
    text = "\n\n".join(
        f"{'#' * level} Head{n}\n\n{' '.join(['word'] * words)}"
        for n, (level, words) in enumerate(parts)
    )
    sections = parsed("a.md", f"{text}\n\nend end end").sections
    found = [each.text for each in chunks(sections, ChunkSettings(5, 24, 3), WORDS)]
    assert not [each for each in found if "word" not in each and "end" not in each]
