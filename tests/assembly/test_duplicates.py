"""What several packs have in common is placed once."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from hypothesis import given, strategies as st

from biblicus_context import ContextAssembler, ContextAssemblyResult
from tests.assembly.fakes import Shelf, plan, words

BOTH = [{"type": "context", "name": "one"}, {"type": "context", "name": "two"}]
SHARED = "The very same words stand in both of them."


def block(text: str, score: float | None = None, **more: Any) -> dict[str, Any]:
    return {"text": text, "score": score, **more}


def assembled(
    one: list[Any], two: list[Any], messages: list[Any] = BOTH, **policy: Any
) -> ContextAssemblyResult:
    return assembler(Shelf(one), Shelf(two), messages, **policy).assemble("main", user_message="?")


def assembler(
    one: Shelf, two: Shelf, messages: list[Any] = BOTH, **policy: Any
) -> ContextAssembler:
    policy = {"input_budget": {"max_tokens": 400}, "pack_budget": {"default_ratio": 1}, **policy}
    return ContextAssembler({"main": plan(*messages, **policy)}, {"one": one, "two": two})


def placed(result: ContextAssemblyResult) -> dict[str, list[str]]:
    return {
        part.name: [block.id for block in part.blocks if block.action == "kept"]
        for part in result.receipt.parts
        if part.name
    }


def test_the_better_scored_duplicate_stays_and_the_receipt_names_it():
    result = assembled(
        [block("Best of the first pack.", 9.0), block(SHARED, 3.0)],
        [block(SHARED, 0.8), block("Another thing altogether.", 0.2)],
    )
    assert placed(result) == {"one": ["e0"], "two": ["e0", "e1"]}
    dropped = result.receipt.parts[0].blocks[-1]
    assert (dropped.id, dropped.action) == ("e1", "dropped")
    assert dropped.reason == "duplicate: the same text as 'e0' in pack 'two'"
    assert result.system_prompt.count(SHARED) == 1


def test_without_scores_the_first_one_of_the_plan_stays():
    result = assembled([SHARED], [SHARED])
    assert placed(result) == {"one": ["e0"], "two": []}
    assert result.receipt.parts[1].reason == "duplicate: other packs contain all of it"


def test_the_same_block_of_one_corpus_is_a_duplicate_though_its_text_was_cut():
    shelves = [
        [block(words(30, "long"), 1.0, source="a.md")],
        [block(words(20, "long"), 1.0, source="a.md")],
    ]
    two_corpora = assembled(*shelves)
    assert placed(two_corpora) == {"one": ["e0"], "two": ["e0"]}
    one, two = (Shelf(blocks) for blocks in shelves)
    same = ContextAssembler(
        {"main": plan(*BOTH, input_budget={"max_tokens": 400}, pack_budget={"default_ratio": 1})},
        {name: {"corpus": "notes", "config": {}} for name in ("one", "two")},
        {"notes": {"config": {}}},
        retriever_functions={"one": one, "two": two},
    ).assemble("main", user_message="?")
    assert placed(same) == {"one": ["e0"], "two": []}
    assert (
        same.receipt.parts[1].blocks[0].reason
        == "duplicate: the same evidence as 'e0' in pack 'one'"
    )


@pytest.mark.parametrize(
    ("policy", "messages"),
    [
        ({"dedupe": False}, BOTH),
        ({}, [BOTH[0], {**BOTH[1], "dedupe": False}]),
        ({}, [{**each, "pin": True} for each in BOTH]),
        ({}, [BOTH[0], BOTH[0]]),
    ],
    ids=["policy", "pack", "pinned", "one pack twice"],
)
def test_duplicates_stay_where_the_plan_wants_them(policy: dict[str, Any], messages: list[Any]):
    result = assembled([SHARED], [SHARED], messages, **policy)
    assert result.system_prompt.count(SHARED) == 2


def test_a_pinned_pack_keeps_its_duplicate_whatever_the_other_scores():
    result = assembled(
        [block("Best of it all.", 9.0), block(SHARED, 0.1)],
        [block(SHARED, 9.0)],
        [{**BOTH[0], "pin": True}, BOTH[1]],
    )
    assert placed(result) == {"one": ["e0", "e1"], "two": []}


def test_near_duplicates_are_duplicates_where_that_is_asked_for():
    alike = SHARED.replace("both", "all")
    assert placed(assembled([SHARED], [alike]))["two"] == ["e0"]
    for dedupe in (True, {"near": 0.8}):
        assert placed(assembled([SHARED], [alike], dedupe=dedupe))["two"] == []
    assert placed(assembled([SHARED], [alike], dedupe={"near": 0.99}))["two"] == ["e0"]


def test_a_short_answer_is_not_a_twin():
    assert placed(assembled(["Yes."], ["Yes."])) == {"one": ["e0"], "two": ["e0"]}


NARROW = {"input_budget": {"max_tokens": 80}, "pack_budget": {"default_max_tokens": 80}}


def test_the_room_of_a_duplicate_goes_to_what_had_been_dropped():
    shared = words(30, "shared")
    result = assembled([shared], [shared, words(30, "second")], **NARROW)
    assert placed(result) == {"one": ["e0"], "two": ["e1"]}


def test_a_block_that_is_placed_is_never_the_duplicate_of_one_that_is_not():
    shared = words(30, "shared")
    result = assembled([words(30, "first"), shared], [shared, words(30, "second")], **NARROW)
    assert placed(result) == {"one": ["e0"], "two": ["e0"]}
    assert "as 'e0' in pack 'two'" in result.receipt.parts[0].blocks[1].reason


def test_the_room_of_a_duplicate_is_filled_by_further_pages():
    one = [block(words(20, "shared"), 1.0)]
    two = [block(words(20, name), 1.0 / (1 + at)) for at, name in enumerate(["shared", "b", "c"])]
    first, second = Shelf(one), Shelf(two)
    config = {"config": {"limit": 1}}
    asked = ContextAssembler(
        {
            "main": plan(
                *BOTH,
                input_budget={"max_tokens": 90},
                pack_budget={"default_ratio": 1},
                expansion={"max_pages": 2, "min_fill_ratio": 0.2},
            )
        },
        {"one": config, "two": config},
        retriever_functions={"one": first, "two": second},
    )
    result = asked.assemble("main", user_message="?")
    assert placed(result) == {"one": ["e0"], "two": ["e1"]}
    assert [request.offset for request in second.requests] == [0, 0, 1]
    assert result.receipt.parts[1].requests == 3
    assert len({request.metadata["assembly"] for request in first.requests + second.requests}) == 1


TEXTS = st.lists(
    st.tuples(st.sampled_from(["alpha", "beta", "gamma", "delta"]), st.integers(1, 30)), max_size=6
)


@given(TEXTS, TEXTS, st.integers(1, 200), st.booleans(), st.integers(1, 3))
def test_whatever_is_offered_is_accounted_for_once_and_within_the_budget(
    one: list[tuple[str, int]],
    two: list[tuple[str, int]],
    budget: int,
    pinned: bool,
    pages: int,
):
    shelves = [
        Shelf([block(words(size + 5, word), size) for word, size in each]) for each in (one, two)
    ]
    messages = [{**BOTH[0], "weight": 2}, {**BOTH[1], "priority": int(pinned)}]
    asked = assembler(
        *shelves,
        messages,
        input_budget={"max_tokens": budget},
        expansion={"max_pages": pages},
    )
    result = asked.assemble("main", user_message="?")
    assert result.token_count <= budget
    for part in result.receipt.parts:
        names = [each.id for each in part.blocks]
        assert len(names) == len({*names})
    texts = [each.excerpt for each in result.citations]
    if all(part.action == "kept" for part in result.receipt.parts if part.name):
        assert len(texts) == len(set(texts)) or _repeats_itself(one) or _repeats_itself(two)
    again = asyncio.run(asked.aassemble("main", user_message="?"))
    assert again.messages == result.messages
    assert again.fingerprint == result.fingerprint


def _repeats_itself(texts: list[tuple[str, int]]) -> bool:
    return len(texts) != len({*texts})


def test_the_pack_of_the_higher_priority_keeps_a_block_that_both_have():
    first = [block(SHARED, 0.1), block("Another one, which is alone here.", 1.0)]
    second = [block(SHARED, 1.0)]
    for one, two, kept in ((1, 0, "one"), (0, 1, "two"), (None, None, "two")):
        messages = [
            {"type": "context", "name": name, "priority": priority}
            for name, priority in (("one", one), ("two", two))
        ]
        found = assembled(first, second, messages)
        holding = [
            part.name
            for part in found.receipt.parts
            if any(SHARED in each.excerpt and each.pack == part.name for each in found.citations)
        ]
        assert holding == [kept]


def test_blocks_with_a_common_value_of_a_field_are_duplicates():
    """Of a list any value counts; the one with the higher number in another field stays."""
    one = block("Code of the clock.", 9.0, metadata={"about": ["clock.py"], "worth": 0.2})
    two = block("A commit.", 0.1, metadata={"about": ["a.py", "clock.py"], "worth": 0.8})
    own = {"fields": ["about"], "by": "worth"}
    result = assembled([one], [two], dedupe=own)
    assert placed(result) == {"one": [], "two": ["e0"]}
    (gone,) = result.receipt.parts[0].blocks
    assert gone.reason == "duplicate: the same about 'clock.py' as 'e0' in pack 'two'"
    assert placed(assembled([one], [two], dedupe={"fields": ["about"]})) == {
        "one": ["e0"],
        "two": [],
    }
    assert placed(assembled([one], [two])) == {"one": ["e0"], "two": ["e0"]}


def test_blocks_of_one_pack_may_share_a_value_of_a_field():
    """And a value that is missing or empty is shared with none."""
    same = [block(f"Part {n} of it.", metadata={"about": "a"}) for n in range(2)]
    none = [block("Nothing known."), block("Empty.", metadata={"about": ""})]
    result = assembled(same, none, dedupe={"near": None, "fields": ["about"]})
    assert placed(result) == {"one": ["e0", "e1"], "two": ["e0", "e1"]}
