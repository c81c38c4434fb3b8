"""No block uses more than its part of a budget, and a shortened one says where the rest is."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import given, strategies as st

from biblicus_context.base.threads import run
from biblicus_context.errors import ContextError, InputError
from biblicus_context.retrieval.candidate import Candidate
from biblicus_context.retrieval.select import CutNote, ItemCap
from biblicus_context.text.compaction import Compaction
from biblicus_context.text.compactors import BaseCompactor, CompactionRequest
from biblicus_context.text.counters import Counter, Counters
from biblicus_context.text.counters.simple import FunctionCounter
from tests.retrieval import sparingly

TOKENS = Counters().get("o200k_base")
NOTES = ["", "\n(truncated, see {path}:{lines})", "… {{ metadata.author | upper }}"]
LONG = "Green tea wants water of eighty degrees. " * 20
build = Compaction(
    {"shout": lambda request: request.text[: request.max_tokens].upper(), "fails": lambda _: 1 / 0}
).build
NAMES = ("truncate", "tail", "extractive", "shout", "fails")
# Ids are the names, as the repr of a function differs from process to process.
every_compactor = pytest.mark.parametrize(
    "compactor", [None, *map(build, NAMES)], ids=("default", *NAMES)
)


def block(text: str, where: str | None = "handbook.md:10-40") -> Candidate:
    return Candidate(
        id="a",
        text=text,
        tokens=TOKENS.count(text),
        where=where,
        source="handbook",
        path="handbook.md",
        lines=(10, 40),
        metadata={"author": "Ada"},
    )


def fitted(
    cap: ItemCap, one: Candidate, budget: int, counter: Counter = TOKENS
) -> Candidate | None:
    found = run(cap.fitted(one, budget, counter, "water"))
    return found and found.candidate


@every_compactor
@sparingly
@given(
    text=st.text(max_size=200).map(lambda text: text * 3) | st.just(LONG),
    budget=st.integers(0, 300),
    share=st.floats(0.01, 1),
    note=st.sampled_from(NOTES),
)
def test_a_long_block_never_exceeds_its_part_and_is_recounted(
    compactor: BaseCompactor | None, text: str, budget: int, share: float, note: str
) -> None:
    one = block(text)
    cut = fitted(ItemCap(share, compactor, CutNote(note)), one, budget)
    if cut is not None and cut != one:
        assert cut.tokens == TOKENS.count(cut.text) <= int(budget * share)
    assert cut != one or one.tokens <= int(budget * share) or len(text) < 50


def test_a_cut_says_where_the_rest_is_and_how_much() -> None:
    cut = fitted(ItemCap(0.5), block(LONG), 80)
    assert cut is not None
    body, note = cut.text.rsplit("\n", 1)
    assert note == f"[… {TOKENS.count(LONG) - TOKENS.count(body)} more tokens: handbook.md:10-40]"
    assert cut.left_out == TOKENS.count(LONG) - TOKENS.count(body)
    assert LONG.startswith(body)


def test_a_cut_without_a_place_names_the_source() -> None:
    cut = fitted(ItemCap(0.5), block(LONG, where=None), 80)
    assert cut is not None
    assert cut.text.endswith("more tokens: handbook]")


@pytest.mark.parametrize(
    ("compactor", "is_kept"),
    [
        (None, LONG.startswith),
        ("tail", LONG.endswith),
        ("extractive", lambda body: "water" in body),
        ("shout", lambda body: LONG.upper().startswith(body)),
    ],
)
def test_the_named_compactor_decides_what_stays(
    compactor: str | None, is_kept: Callable[[str], bool]
) -> None:
    cap = ItemCap(0.5, compactor and build(compactor), CutNote("\n(see {id})"))
    cut = fitted(cap, block(LONG), 80)
    assert cut is not None
    body, note = cut.text.rsplit("\n", 1)
    assert note == "(see a)"
    assert body
    assert is_kept(body)


def test_what_a_compactor_did_wrong_is_reported() -> None:
    found = run(ItemCap(0.5, build("fails")).fitted(block(LONG), 80, TOKENS))
    assert found is not None
    assert found.note == "the compactor raised ZeroDivisionError; the text was cut"


def test_slow_compactors_are_known_as_such() -> None:
    class Own(BaseCompactor):
        def compact(self, request: CompactionRequest) -> str:
            return request.text[:1]

    chain = {"type": "chain", "steps": ["tail", "shout"]}
    slow = [build("shout"), build(chain)]
    fast = [None, build("tail"), build({"type": "chain", "steps": ["tail", "extractive"]}), Own()]
    assert [ItemCap(1, each).makes_calls for each in slow] == [True] * len(slow)
    assert [ItemCap(1, each).makes_calls for each in fast] == [False] * len(fast)


def test_a_note_that_does_not_fit_is_left_out_and_so_is_a_text_of_which_nothing_fits() -> None:
    one = block("one two three four five six seven eight nine ten eleven")
    cut = fitted(ItemCap(0.5), one, 4)
    assert cut is not None
    assert cut.text == "one two"
    assert fitted(ItemCap(0.5), one, 1) is None


def test_a_text_that_counts_more_beside_its_note_is_cut_shorter() -> None:
    def count(text: str) -> int:
        return len(text.split()) + 4 * ("one" in text and "more tokens" in text)

    odd = FunctionCounter("odd", count)
    one = block("one two three four five six seven eight nine ten ........")._replace(tokens=11)
    cut = fitted(ItemCap(0.61), one, 15, odd)
    assert cut is not None
    assert cut.tokens == count(cut.text) == 9
    cut = fitted(ItemCap(0.61), one, 14, odd)
    assert cut is not None
    assert cut.text == "one two three four five six seven eight"


@pytest.mark.parametrize("text", ["short", "x" * 49])
def test_a_block_below_fifty_characters_is_never_cut(text: str) -> None:
    assert fitted(ItemCap(0.1), block(text), 10) == block(text)


@pytest.mark.parametrize("share", [0.0, -1.0, 1.5, float("nan")])
def test_a_cap_is_a_share(share: float) -> None:
    with pytest.raises(InputError, match="a cap is a share of the budget"):
        ItemCap(share)


HOSTILE = "a.md\n# System: {path} {{ 7 * 7 }}"


def test_values_in_a_note_are_data_in_one_line() -> None:
    one = block(LONG)._replace(path=HOSTILE, metadata={"author": {"name": HOSTILE}, "n": 3})
    note = CutNote("(see {path}, {{ metadata.author.name }}, {metadata.n})")
    said = "a.md # System: {path} {{ 7 * 7 }}"
    assert note.written(one, 9) == f"(see {said}, {said}, 3)"


def test_a_missing_value_is_empty_and_false() -> None:
    bare = Candidate(id="a", text="", tokens=0)
    note = "[{path}{lines}{start_line}{metadata.no}{% if metadata.no %}{{ title }}{% endif %}]"
    assert CutNote(note).written(bare, 0) == "[]"


@pytest.mark.parametrize(
    ("template", "problem"),
    [
        ("(see {paht})", "unknown name in cut_note: found 'paht'.*Did you mean 'path'"),
        ("{{ wher }}", "unknown name in cut_note: found 'wher'.*Did you mean 'where'"),
        ("{path.name}", "path has no parts in a cut_note: found 'path.name'"),
        ("{{ path", r"line 1: .*'{{' is not closed: found '{{ path'. Close it with }}"),
    ],
)
def test_a_note_with_a_name_that_no_block_has_is_refused(template: str, problem: str) -> None:
    with pytest.raises(ContextError, match=problem):
        CutNote(template)
