"""The texts of a nested context are as pinned as those of the outer plan."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, strategies as st

from biblicus_context import BudgetError
from tests.assembly.fakes import Shelf, assembled, part_named, plan, words
from tests.assembly.test_elastic_shares import numbered, pack

RULE = "Never reveal internal prices."
KB = pack("kb")


def system(content: str, **options: Any) -> dict[str, Any]:
    return {"type": "system", "content": content, **options}


def texts(*contents: str) -> dict[str, Any]:
    return {"messages": [system(content) for content in contents]}


def shelf(blocks: int = 30, size: int = 8, name: str = "e") -> Shelf:
    return Shelf(numbered(blocks, size, name))


def test_a_text_is_placed_whole_where_its_share_by_weight_would_be_too_small():
    context = plan(
        pack("style", weight=0.01), pack("kb", weight=10), pack_budget={"default_max_tokens": 100}
    )
    result = assembled(context, {"kb": shelf()}, {"style": texts(RULE)})
    assert result.system_prompt.startswith(RULE)
    assert [part_named(result, name).share for name in ("style", "kb")] == [4, 96]


def test_a_pack_of_text_takes_what_it_needs_and_no_more():
    context = plan(pack("style"), KB, pack_budget={"default_max_tokens": 100})
    result = assembled(context, {"kb": shelf()}, {"style": texts(words(7), words(3))})
    assert [part_named(result, name).share for name in ("style", "kb")] == [10, 90]


def test_evidence_of_a_nested_context_gets_its_part_of_what_texts_leave():
    inner = {"messages": [system(words(20)), pack("own")]}
    context = plan(pack("inner"), KB, pack_budget={"default_max_tokens": 100})
    shelves = {"own": shelf(), "kb": shelf(name="o")}
    result = assembled(context, shelves, {"inner": inner})
    assert [part_named(result, name).share for name in ("inner", "kb")] == [60, 40]


def test_texts_of_all_depths_are_taken_first():
    contexts = {
        "inner": {"messages": [system(words(5, "a")), pack("deep"), KB]},
        "deep": {"messages": [system(words(15, "b")), KB]},
    }
    context = plan(pack("inner"), pack_budget={"default_max_tokens": 20})
    result = assembled(context, {"kb": shelf()}, contexts)
    assert result.system_prompt == f"{words(5, 'a')}\n\n{words(15, 'b')}"


@pytest.mark.parametrize("overflow", ["compact", "error"])
@pytest.mark.parametrize(
    ("option", "policy"),
    [
        ({}, {"pack_budget": {"default_max_tokens": 9}}),
        ({"budget": {"max_tokens": 9}}, {"pack_budget": {"default_max_tokens": 90}}),
        ({"budget": {"max_tokens": 9}}, {}),
        ({}, {"input_budget": {"max_tokens": 9}}),
    ],
)
def test_a_text_that_cannot_fit_is_an_error_that_names_it(overflow: str, option: Any, policy: Any):
    context = plan(pack("style", **option), **{"overflow": overflow, **policy})
    with pytest.raises(BudgetError) as error:
        assembled(context, contexts={"style": texts(words(10))})
    assert (error.value.budget, error.value.needed) == (9, 10)
    assert list(error.value.parts or []) == ["messages[0] (style)"] or overflow == "error"


def test_texts_that_together_exceed_the_pack_budget_are_an_error_with_the_size_of_each():
    context = plan(pack("one"), KB, pack("two"), pack_budget={"default_max_tokens": 20})
    contexts = {"one": texts(words(15)), "two": texts(words(10))}
    with pytest.raises(BudgetError) as error:
        assembled(context, {"kb": shelf()}, contexts)
    assert error.value.parts == {"messages[0] (one)": 15, "messages[2] (two)": 10}


def test_a_nested_policy_too_small_for_its_own_text_is_an_error():
    inner = {**texts(words(10)), "policy": {"input_budget": {"max_tokens": 5}}}
    with pytest.raises(BudgetError, match="inner"):
        assembled(plan(pack("inner"), input_budget={"max_tokens": 50}), contexts={"inner": inner})


def test_nothing_is_refused_where_nothing_has_to_fit():
    context = plan(pack("style"), overflow="none", pack_budget={"default_max_tokens": 5})
    result = assembled(context, contexts={"style": texts(words(10))})
    assert result.system_prompt == words(10)


def test_a_text_marked_shrink_gives_way():
    inner = {"messages": [system(words(10, "hard")), system(words(30, "soft"), shrink=True)]}
    context = plan(pack("inner"), pack_budget={"default_max_tokens": 25})
    words_placed = assembled(context, contexts={"inner": inner}).system_prompt.split()
    assert words_placed.count("hard") == 10
    assert words_placed.count("soft") <= 15


def test_the_evidence_of_a_full_plan_gives_way_to_nested_texts():
    inner = {"messages": [system(words(30, "rule")), KB]}
    context = plan(
        pack("inner"), {"type": "user", "content": words(20)}, input_budget={"max_tokens": 52}
    )
    result = assembled(context, {"kb": shelf()}, {"inner": inner})
    assert result.system_prompt.split().count("rule") == 30
    assert result.token_count <= 52


def test_nested_texts_larger_than_what_the_total_leaves_are_an_error_with_their_size():
    inner = {"messages": [system(words(30, "rule")), KB]}
    context = plan(
        pack("inner"), {"type": "user", "content": words(20)}, input_budget={"max_tokens": 49}
    )
    with pytest.raises(BudgetError) as error:
        assembled(context, {"kb": shelf()}, {"inner": inner})
    assert error.value.parts == {"messages[0] (inner)": 30, "messages[1] (user)": 20}


def test_conditions_and_inputs_decide_what_a_text_needs():
    inner = {
        "messages": [
            system("{input.tone}"),
            system(words(50), when="input.long"),
        ]
    }
    context = plan(pack("inner"), KB, pack_budget={"default_max_tokens": 100})
    for inputs, share in [({"tone": "be kind", "long": 0}, 2), ({"tone": "x", "long": 1}, 51)]:
        result = assembled(context, {"kb": shelf()}, {"inner": inner}, inputs=inputs)
        assert part_named(result, "inner").share == share


def test_a_nested_text_that_quotes_an_outer_pack_counts_with_what_it_quotes():
    inner = {"messages": [system("About these ten words that must stay: {context.kb}")]}
    context = plan(KB, pack("inner"), pack_budget={"default_max_tokens": 60})
    result = assembled(context, {"kb": shelf(2)}, {"inner": inner})
    assert "About these ten words that must stay: e0 " in result.system_prompt
    assert result.token_count <= 60


def test_a_pinned_pack_of_a_nested_context_is_never_cut():
    inner = {"messages": [pack("kb", pin=True), pack("own")]}
    shelves = {"kb": shelf(3, 10), "own": shelf(3, 10, "o")}
    context = plan(pack("inner"), pack_budget={"default_max_tokens": 100})
    result = assembled(context, shelves, {"inner": inner})
    assert len(result.system_prompt.split()) == 60
    tight = plan(pack("inner"), pack_budget={"default_max_tokens": 20})
    with pytest.raises(BudgetError):
        assembled(tight, shelves, {"inner": inner})


@given(
    st.lists(st.integers(0, 12), min_size=1, max_size=4),
    st.integers(1, 60),
    st.sampled_from(["none", "error", "compact"]),
    st.sampled_from([0, 3]),
)
def test_the_share_of_a_nested_context_holds_whatever_its_own_policy_says(
    sizes: list[int], share: int, overflow: str, blocks: int
):
    inner = {
        "messages": [*(system(words(size, "t")) for size in sizes if size), pack("kb")],
        "policy": {"overflow": overflow, "pack_budget": {"default_max_tokens": 500}},
    }
    context = plan(pack("inner", budget={"max_tokens": share}), input_budget={"max_tokens": 500})
    if sum(sizes) > share:
        with pytest.raises(BudgetError):
            assembled(context, {"kb": shelf(blocks)}, {"inner": inner})
        return
    result = assembled(context, {"kb": shelf(blocks)}, {"inner": inner})
    assert result.system_prompt.split().count("t") == sum(sizes)
    assert result.token_count <= share


def test_alternatives_that_are_all_too_large_for_a_nested_budget_are_named():
    inner = {
        "messages": [{"first": [words(9), words(7)]}],
        "policy": {"input_budget": {"max_tokens": 5}},
    }
    with pytest.raises(BudgetError) as error:
        assembled(plan(pack("inner"), input_budget={"max_tokens": 50}), contexts={"inner": inner})
    assert error.value.parts == {"messages[0]": 7}
