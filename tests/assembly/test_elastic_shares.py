"""What a pack does not use of its share flows to the packs that want more."""

from __future__ import annotations

from typing import Any

import pytest

from biblicus_context import (
    BudgetError,
    ContextAssembler,
    ContextPack,
    ContextPackBlock,
    PlanError,
)
from tests.assembly.fakes import Shelf, assembled, part_named, plan, words


def pack(name: str, **options: Any) -> dict[str, Any]:
    return {"type": "context", "name": name, **options}


def numbered(count: int, size: int, name: str) -> list[str]:
    """Blocks of this many words, no two alike."""
    return [f"{name}{at} {words(size - 1, name)}" for at in range(count)]


def given(result: Any, *names: str) -> list[int]:
    return [part_named(result, name).given for name in names]


class Sized:
    """A retriever that keeps its budget, and says whether it has more."""

    def __init__(self, blocks: int, size: int = 10, name: str = "z") -> None:
        self.texts = numbered(blocks, size, name)
        self.size = size
        self.requests: list[Any] = []

    def __call__(self, request: Any) -> ContextPack:
        self.requests.append(request)
        most = len(self.texts) if request.max_tokens is None else request.max_tokens // self.size
        page = self.texts[: min(most, request.limit)]
        return ContextPack(
            text="\n\n".join(page),
            evidence_count=len(page),
            blocks=[ContextPackBlock(evidence_item_id=text.split()[0], text=text) for text in page],
            more=len(page) < len(self.texts),
        )


class Searched(Sized):
    """One that counts the blocks it found, as one over a corpus does, whether or not they fit."""

    def __call__(self, request: Any) -> ContextPack:
        self.requests.append(request)
        found = self.texts[request.offset : request.offset + request.limit]
        page = found[: request.max_tokens // self.size]
        return ContextPack(
            text="\n\n".join(page),
            evidence_count=len(found),
            blocks=[ContextPackBlock(evidence_item_id=text.split()[0], text=text) for text in page],
            more=request.offset + len(page) < len(self.texts),
        )


BUDGET = {"input_budget": {"max_tokens": 1000}, "pack_budget": {"default_max_tokens": 200}}


def test_what_two_packs_leave_goes_to_the_third_until_the_pack_budget_is_full():
    shelves = {
        "few": Shelf(numbered(1, 13, "a")),
        "some": Shelf(numbered(2, 13, "b")),
        "many": Shelf(numbered(40, 10, "c")),
    }
    settings = {name: {"config": {"limit": 40}} for name in shelves}
    result = ContextAssembler(
        {"main": plan(*map(pack, shelves), **BUDGET)}, settings, retriever_functions=shelves
    ).assemble("main")
    few, some, many = given(result, "few", "some", "many")
    assert (few, some) == (13, 26)
    assert 190 < few + some + many <= 200


def test_packs_that_fit_are_asked_once_each():
    shelves = {"one": Shelf(numbered(2, 10, "a")), "two": Shelf(numbered(2, 10, "b"))}
    assembled(plan(*map(pack, shelves), **BUDGET), shelves)
    assert [len(shelf.requests) for shelf in shelves.values()] == [1, 1]


def test_a_retriever_that_says_it_has_more_is_asked_again_for_the_larger_share():
    few, sized = Shelf(numbered(1, 10, "a")), Sized(40)
    context = plan(pack("few"), pack("sized"), **BUDGET)
    result = ContextAssembler(
        {"main": context},
        {"few": {}, "sized": {"config": {"limit": 100}}},
        retriever_functions={"few": few, "sized": sized},
    ).assemble("main")
    assert [request.max_tokens for request in sized.requests] == [100, 190]
    assert given(result, "few", "sized") == [10, 190]


def with_one_more(
    searched: Searched,
    *,
    limit: int = 15,
    policy: dict[str, Any] | None = None,
    **options: Any,
) -> Any:
    """With a pack that uses 10 tokens of 200."""
    few = Shelf(numbered(1, 10, "a"))
    return ContextAssembler(
        {"main": plan(pack("few", **options), pack("kb"), **BUDGET, **(policy or {}))},
        {"few": {}, "kb": {"config": {"limit": limit}}},
        retriever_functions={"few": few, "kb": searched},
    ).assemble("main")


def test_a_share_that_held_fewer_blocks_than_the_limit_grows_by_what_others_leave():
    """It found as many as its limit, so that it looked as if the limit had ended its answer."""
    searched = Searched(40)
    result = with_one_more(searched)
    assert [request.max_tokens for request in searched.requests] == [100, 190]
    assert given(result, "few", "kb") == [10, 150]
    assert part_named(result, "kb").cause == "limit"


def test_a_pack_that_may_page_has_first_what_its_share_left_out_of_a_page():
    """The next page begins after all that was found."""
    searched = Searched(40)
    result = with_one_more(searched, policy={"expansion": {"max_pages": 2}})
    assert [request.offset for request in searched.requests] == [0, 0, 15]
    ids = [block.id for block in part_named(result, "kb").blocks if block.given]
    assert ids == [f"z{at}" for at in range(19)]


def test_a_source_of_a_combined_retriever_that_held_back_is_asked_again():
    few, searched = Shelf(numbered(1, 10, "a")), Searched(40)
    config = {"retriever_id": "combined", "of": [{"name": "kb", "limit": 15}]}
    result = ContextAssembler(
        {"main": plan(pack("few"), pack("all"), **BUDGET)},
        {"few": {}, "kb": {}, "all": {"config": config}},
        retriever_functions={"few": few, "kb": searched},
    ).assemble("main")
    assert [request.max_tokens for request in searched.requests] == [100, 190]
    assert given(result, "few", "all") == [10, 150]


def test_a_retriever_whose_limit_ended_its_answer_is_not_asked_again():
    searched = Searched(40)
    assert given(with_one_more(searched, limit=10), "few", "kb") == [10, 100]
    assert len(searched.requests) == 1


def test_the_limit_is_not_named_where_the_share_ended_an_answer():
    searched = Searched(40)
    other = Searched(40, name="o")
    result = ContextAssembler(
        {"main": plan(pack("kb"), pack("other"), **BUDGET)},
        {name: {"config": {"limit": 15}} for name in ("kb", "other")},
        retriever_functions={"kb": searched, "other": other},
    ).assemble("main")
    assert given(result, "kb", "other") == [100, 100]
    assert part_named(result, "kb").cause != "limit"


def test_a_pack_that_guarantees_of_others_left_nothing_is_asked_for_what_they_do_not_use():
    """It was left out, although nearly all tokens were unused."""
    searched = Searched(40)
    result = with_one_more(searched, budget={"min_tokens": 200})
    assert [request.max_tokens for request in searched.requests] == [190]
    assert given(result, "few", "kb") == [10, 150]


def test_a_pack_without_a_share_is_not_asked_where_the_others_use_theirs():
    searched = Searched(40)
    result = ContextAssembler(
        {"main": plan(pack("many", budget={"min_tokens": 200}), pack("kb"), **BUDGET)},
        {name: {"config": {"limit": 40}} for name in ("many", "kb")},
        retriever_functions={"many": Shelf(numbered(40, 10, "a")), "kb": searched},
    ).assemble("main")
    assert given(result, "many", "kb") == [200, 0]
    assert searched.requests == []
    assert part_named(result, "kb").action == "not asked"


def test_a_pack_that_may_page_goes_on_where_it_stopped():
    few, shelf = Shelf(numbered(1, 10, "a")), Shelf(numbered(40, 10, "b"))
    policy = {**BUDGET, "expansion": {"max_pages": 10, "min_fill_ratio": 0.8}}
    result = assembled(plan(pack("few"), pack("many"), **policy), {"few": few, "many": shelf})
    assert [request.offset for request in shelf.requests] == [0, 3, 6, 9, 12, 15]
    assert given(result, "few", "many") == [10, 180]


def test_the_higher_priority_gets_what_is_left_first():
    shelves = {
        "none": Shelf([]),
        "low": Shelf(numbered(40, 10, "b")),
        "high": Shelf(numbered(12, 10, "c")),
    }
    context = plan(pack("none"), pack("low"), pack("high", priority=1), **BUDGET)
    result = ContextAssembler(
        {"main": context},
        {name: {"config": {"limit": 40}} for name in shelves},
        retriever_functions=shelves,
    ).assemble("main")
    assert given(result, "none", "low", "high") == [0, 80, 120]


@pytest.mark.parametrize("weights", [(1, 1), (1, 3), (3, 1), (0.5, 2)])
def test_packs_of_one_priority_divide_what_is_left_by_their_weights(weights: tuple[float, float]):
    """The heavier one had all of it."""
    shelves = {name: Shelf(numbered(400, 10, name)) for name in ("one", "two")}
    packs = [pack(name, weight=weight) for name, weight in zip(shelves, weights, strict=True)]
    context = plan(
        pack("none", weight=5),
        *packs,
        input_budget={"max_tokens": 9000},
        pack_budget={"default_max_tokens": 2000},
    )
    result = ContextAssembler(
        {"main": context},
        {name: {"config": {"limit": 400}} for name in ("none", *shelves)},
        retriever_functions={"none": Shelf([]), **shelves},
    ).assemble("main")
    one, two = given(result, "one", "two")
    assert one + two > 1980
    assert two / one == pytest.approx(weights[1] / weights[0], rel=0.05)


def test_a_pack_that_grows_again_and_again_ranks_its_blocks_once():
    """What others leave changes what fits, and neither the order of blocks nor which of them repeat others.

    Packs that divide a remainder by weight are fitted several times each.
    """
    shelves = {name: Shelf(numbered(60, 17, name)) for name in ("one", "two", "three")}
    looked_at: list[str] = []

    def look(candidate: Any, _: Any) -> float:
        looked_at.append(candidate.id)
        return 1.0 / len(candidate.text)

    combined = {
        f"all-{name}": {"config": {"retriever_id": "combined", "of": [name], "rank": {"look": 1}}}
        for name in shelves
    }
    result = ContextAssembler(
        {"main": plan(pack("none", weight=3), *map(pack, combined), **BUDGET)},
        {**{name: {"config": {"limit": 60}} for name in ("none", *shelves)}, **combined},
        retriever_functions={"none": Shelf([]), **shelves},
        retrieval_parts={"rank": {"look": look}},
    ).assemble("main")
    assert sum(given(result, *combined)) > 180
    assert len(looked_at) == 3 * 60


def test_no_pack_grows_over_its_own_cap():
    shelves = {"none": Shelf([]), "capped": Shelf(numbered(40, 10, "b"))}
    context = plan(pack("none"), pack("capped", budget={"max_tokens": 120}), **BUDGET)
    result = ContextAssembler(
        {"main": context},
        {name: {"config": {"limit": 40}} for name in shelves},
        retriever_functions=shelves,
    ).assemble("main")
    assert given(result, "none", "capped") == [0, 120]


@pytest.mark.parametrize("nested", ["few", "many"])
def test_unused_tokens_flow_out_of_and_into_nested_contexts(nested: str):
    shelves = {"few": Shelf(numbered(1, 10, "a")), "many": Shelf(numbered(40, 10, "b"))}
    inner = {"messages": [{"type": "system", "content": "Inner:"}, pack(nested)]}
    names = ["inner" if name == nested else name for name in shelves]
    result = ContextAssembler(
        {"main": plan(*map(pack, names), **BUDGET), "inner": inner},
        {name: {"config": {"limit": 40}} for name in shelves},
        retriever_functions=shelves,
    ).assemble("main")
    assert 185 < result.token_count <= 200


def test_a_block_too_large_for_what_is_left_does_not_keep_out_a_smaller_one():
    shelf = Shelf([words(15, "a"), words(15, "b"), words(5, "c")])
    policy = {"pack_budget": {"default_max_tokens": 20}, "compactor": {"type": "drop_blocks"}}
    result = assembled(plan(pack("kb"), max_iterations=1, **policy), {"kb": shelf})
    assert result.token_count == 20


def test_the_receipt_has_the_share_to_which_others_left_something():
    shelf = Shelf([words(15, "a"), words(15, "b")])
    policy = {"pack_budget": {"default_max_tokens": 36}}
    result = assembled(plan(pack("none"), pack("kb"), **policy), {"none": Shelf([]), "kb": shelf})
    assert (part_named(result, "kb").share, part_named(result, "kb").given) == (36, 30)


def held(name: str, tokens: int, **options: Any) -> dict[str, Any]:
    return pack(name, budget={"min_tokens": tokens}, **options)


def two_shelves() -> dict[str, Shelf]:
    return {
        "kb": Shelf([words(10, f"a{at}") for at in range(40)]),
        "news": Shelf([words(10, f"b{at}") for at in range(40)]),
    }


LIMITS = {name: {"config": {"limit": 40}} for name in ("kb", "news")}


def with_limits(context: dict[str, Any], **call: Any) -> Any:
    functions = two_shelves()
    return ContextAssembler({"main": context}, LIMITS, retriever_functions=functions).assemble(
        "main", **call
    )


def test_a_pack_gets_its_minimum_before_others_get_more():
    heavy = pack("news", weight=9, priority=5)
    result = with_limits(plan(held("kb", 60), heavy, pack_budget={"default_max_tokens": 100}))
    assert [part_named(result, name).share for name in ("kb", "news")] == [60, 40]
    assert part_named(result, "kb").minimum == 60
    assert given(result, "kb", "news") == [60, 40]


def test_a_minimum_that_is_not_used_flows_to_others():
    few = {"kb": Shelf([words(10)]), "news": two_shelves()["news"]}
    context = plan(held("kb", 60), pack("news"), pack_budget={"default_max_tokens": 100})
    result = ContextAssembler({"main": context}, LIMITS, retriever_functions=few).assemble("main")
    assert given(result, "kb", "news") == [10, 90]


def test_a_minimum_larger_than_the_cap_is_refused():
    context = plan(pack("kb", budget={"min_tokens": 60, "max_tokens": 50}))
    with pytest.raises(PlanError, match=r"min_tokens \(60\) is larger than max_tokens \(50\)"):
        assembled(context, {"kb": Shelf([])})


def test_minimums_that_do_not_all_fit_go_to_the_highest_priority_and_a_note_says_so():
    context = plan(
        held("kb", 60), held("news", 60, priority=1), pack_budget={"default_max_tokens": 100}
    )
    result = with_limits(context)
    assert given(result, "kb", "news") == [40, 60]
    assert any(
        "'kb' is guaranteed 60 tokens, but its share is 40" in note for note in result.receipt.notes
    )


def test_packs_shrink_to_their_minimum_before_any_shrinks_below_it():
    user = {"type": "user", "content": words(50)}
    packs = [held("kb", 30), pack("news", priority=9)]
    policy = {"pack_budget": {"default_max_tokens": 100}, "compactor": {"type": "drop_blocks"}}
    result = with_limits(plan(*packs, user, input_budget={"max_tokens": 100}, **policy))
    assert given(result, "kb", "news") == [30, 20]
    result = with_limits(plan(*packs, user, input_budget={"max_tokens": 70}, **policy))
    assert given(result, "kb", "news") == [20, 0]


def test_a_block_that_was_cut_to_a_share_is_whole_where_others_leave_enough():
    policy = {"pack_budget": {"default_max_tokens": 60}}
    shelves = {"none": Shelf([]), "kb": Shelf([words(50, "a")])}
    result = assembled(plan(pack("none"), pack("kb"), max_iterations=1, **policy), shelves)
    assert given(result, "none", "kb") == [0, 50]


def test_a_pinned_pack_over_its_share_takes_what_others_leave():
    shelves = {"few": Shelf([words(10)]), "kb": Shelf([words(60)])}
    context = plan(pack("few"), pack("kb", pin=True), pack_budget={"default_max_tokens": 70})
    assert given(assembled(context, shelves), "few", "kb") == [10, 60]
    with pytest.raises(BudgetError, match="pinned"):
        assembled(
            plan(pack("few"), pack("kb", pin=True), pack_budget={"default_max_tokens": 69}), shelves
        )


@pytest.mark.parametrize(("priority", "placed"), [(0, True), (-1, False)])
def test_an_alternative_is_placed_in_what_others_leave_unless_a_pack_before_it_wants_that(
    priority: int, placed: bool
):
    shelves = {
        "few": Shelf([words(10, "a")]),
        "kb": Shelf([words(10, f"b{at}") for at in range(40)]),
        "report": Shelf([words(80, "report")]),
    }
    group = {"first": [pack("report", priority=priority), "left out"]}
    context = plan(
        pack("few"), pack("kb", weight=0.5), group, pack_budget={"default_max_tokens": 150}
    )
    result = ContextAssembler(
        {"main": context},
        {name: {"config": {"limit": 40}} for name in shelves},
        retriever_functions=shelves,
    ).assemble("main")
    assert ("report" in result.system_prompt) == placed


def test_a_cap_by_ratio_in_a_nested_context_follows_its_share():
    inner = {"messages": [pack("kb", budget={"ratio": 0.5})]}
    shelves = {"few": Shelf([]), "kb": Shelf([words(10, f"b{at}") for at in range(40)])}
    result = ContextAssembler(
        {"main": plan(pack("few"), pack("inner"), **BUDGET), "inner": inner},
        {name: {"config": {"limit": 40}} for name in shelves},
        retriever_functions=shelves,
    ).assemble("main")
    assert result.token_count == 100
