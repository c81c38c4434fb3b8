"""Without a pack budget, packs fill what the texts and the history of a plan leave of its budget."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, strategies as st

from biblicus_context import ContextAssembler, ContextPack, ContextPackBlock
from biblicus_context.retrieval.requests.abilities import FillsShare
from tests.assembly.fakes import Shelf, assembled, part_named, plan, words

KB = {"type": "context", "name": "kb"}
NEWS = {"type": "context", "name": "news"}
HISTORY = {"type": "history"}
ASK = {"type": "user", "content": words(5, "ask")}


class Library(FillsShare):
    """A retriever over blocks of ten words: it returns what the tokens of a request hold."""

    def __init__(self, name: str, count: int = 500) -> None:
        self.name, self.count = name, count
        self.requests: list[Any] = []

    def __call__(self, request: Any) -> ContextPack:
        self.requests.append(request)
        most = self.count if request.max_tokens is None else request.max_tokens // 10
        texts = [f"{self.name}{at} {words(9, self.name)}" for at in range(self.count)]
        page = texts[request.offset : request.offset + min(request.limit, most)]
        blocks = [ContextPackBlock(evidence_item_id=each.split()[0], text=each) for each in page]
        return ContextPack(
            text="\n\n".join(page),
            evidence_count=len(page),
            blocks=blocks,
            more=request.offset + len(page) < self.count,
        )


def turns(count: int) -> list[dict[str, Any]]:
    return [{"role": "user", "content": words(10, f"turn{at}")} for at in range(count)]


def given_tokens(result: Any) -> dict[str, int]:
    return {part.name or part.kind: part.given for part in result.receipt.parts}


def test_one_pack_fills_the_whole_in_one_request():
    kb = Library("kb")
    result = assembled(plan(KB, ASK, input_budget={"max_tokens": 1000}), {"kb": kb})
    assert result.token_count > 985
    assert [request.max_tokens for request in kb.requests] == [995]
    assert result.receipt.warnings == result.receipt.hints == ()


def test_packs_divide_it_by_weight_and_what_one_leaves_the_other_gets():
    context = plan({**KB, "weight": 3}, NEWS, ASK, input_budget={"max_tokens": 805})
    result = assembled(context, {"kb": Library("kb"), "news": Library("news")})
    sizes = given_tokens(result)
    assert (sizes["kb"], sizes["news"]) == (600, 200)
    result = assembled(context, {"kb": Library("kb"), "news": Library("news", count=3)})
    sizes = given_tokens(result)
    assert sizes["news"] == 30
    assert sizes["kb"] >= 760


def test_a_budget_of_its_own_caps_a_pack():
    context = plan({**KB, "budget": {"max_tokens": 100}}, NEWS, input_budget={"max_tokens": 1000})
    sizes = given_tokens(assembled(context, {"kb": Library("kb"), "news": Library("news")}))
    assert (sizes["kb"], sizes["news"]) == (100, 900)


def test_a_history_comes_first_and_a_long_one_gets_half():
    context = plan(KB, HISTORY, ASK, input_budget={"max_tokens": 1005})
    short = assembled(context, {"kb": Library("kb")}, history=turns(20))
    assert len(short.history) == 20
    assert given_tokens(short)["kb"] == 800
    long = assembled(context, {"kb": Library("kb")}, history=turns(500))
    assert (len(long.history), given_tokens(long)["kb"]) == (50, 500)


@pytest.mark.parametrize(
    ("options", "kept"),
    [
        ({"budget": {"max_tokens": 700}}, 70),
        ({"budget": {"max_tokens": 200}}, 20),
        ({"keep_last": 80}, 80),
        ({"budget": {"min_tokens": 600}}, 60),
        ({"max_turns": 3}, 3),
    ],
)
def test_a_history_gets_what_its_own_limits_say(options: dict[str, Any], kept: int):
    context = plan(KB, {**HISTORY, **options}, ASK, input_budget={"max_tokens": 1005})
    result = assembled(context, {"kb": Library("kb")}, history=turns(500))
    assert len(result.history) == kept
    assert given_tokens(result)["kb"] == 1000 - 10 * kept


def test_packs_that_have_little_leave_the_rest_to_the_history():
    context = plan(KB, HISTORY, ASK, input_budget={"max_tokens": 1005})
    result = assembled(context, {"kb": Library("kb", count=5)}, history=turns(500))
    assert (len(result.history), given_tokens(result)["kb"]) == (95, 50)


def test_packs_of_a_nested_context_fill_its_share():
    inner = {"messages": [{"type": "system", "content": words(20, "style")}, KB]}
    context = plan({"type": "context", "name": "inner"}, ASK, input_budget={"max_tokens": 525})
    result = assembled(context, {"kb": Library("kb")}, contexts={"inner": inner})
    assert result.token_count > 510


def test_a_text_that_quotes_a_pack_is_counted_without_it():
    context = plan(
        {**KB, "place": "quoted"},
        {"type": "user", "content": f"{words(20, 'why')}: {{context.kb}}"},
        input_budget={"max_tokens": 520},
    )
    result = assembled(context, {"kb": Library("kb")})
    assert 505 < result.token_count <= 520


def test_alternatives_that_are_texts_are_placed_before_packs_are_filled():
    group = {"first": [words(100, "long"), words(10, "short")]}
    context = plan(KB, group, ASK, input_budget={"max_tokens": 305})
    result = assembled(context, {"kb": Library("kb")})
    assert words(100, "long") in result.system_prompt
    assert given_tokens(result)["kb"] == 200


def test_an_alternative_that_is_a_pack_may_fill_the_rest_too():
    group = {"first": [KB, "Nothing was found."]}
    result = assembled(plan(group, ASK, input_budget={"max_tokens": 305}), {"kb": Library("kb")})
    assert result.token_count > 290
    empty = Library("kb", count=0)
    result = assembled(plan(group, ASK, input_budget={"max_tokens": 305}), {"kb": empty})
    assert result.system_prompt == "Nothing was found."


@pytest.mark.parametrize("overflow", ["error", "none"])
def test_where_nothing_gives_way_the_default_number_of_blocks_is_placed_with_a_warning(
    overflow: str,
):
    context = plan(KB, ASK, input_budget={"max_tokens": 1000}, overflow=overflow)
    result = assembled(context, {"kb": Library("kb")})
    assert len(part_named(result, "kb").blocks) == 3
    (warning,) = result.receipt.warnings
    assert (
        "only the 3 blocks that are requested by default, as no budget gives it a share" in warning
    )


def test_without_any_budget_the_receipt_warns():
    (warning,) = assembled(plan(KB, ASK), {"kb": Library("kb")}).receipt.warnings
    assert warning.startswith("pack 'kb' has only the 3 blocks")
    assert assembled(plan(KB, ASK), {"kb": Library("kb", count=3)}).receipt.warnings == ()


def test_a_pinned_pack_is_whole_and_the_others_give_way():
    shelf = Shelf([words(100, "a"), words(100, "b"), words(100, "c")])
    context = plan({**KB, "pin": True}, NEWS, ASK, input_budget={"max_tokens": 405})
    result = assembled(context, {"kb": shelf, "news": Library("news")})
    assert given_tokens(result)["kb"] == 300
    assert result.token_count > 390


@given(
    budget=st.integers(30, 600),
    history=st.integers(0, 60),
    count=st.integers(0, 80),
    weight=st.sampled_from([0.3, 1, 4]),
    options=st.sampled_from([{}, {"keep_last": 1}, {"budget": {"ratio": 0.3}}, {"max_turns": 4}]),
)
def test_what_is_left_is_less_than_a_block_while_there_is_more(
    budget: int, history: int, count: int, weight: float, options: dict[str, Any]
):
    """Unless every block and every turn that may be placed is."""
    context = plan(
        {**KB, "weight": weight},
        NEWS,
        {**HISTORY, **options},
        ASK,
        input_budget={"max_tokens": budget},
    )
    retrievers = {"kb": Library("kb", count), "news": Library("news", 200)}
    contexts = {"main": context}
    result = ContextAssembler(contexts, retrievers).assemble("main", history=turns(history))
    assert result.token_count <= budget
    assert result.receipt.left is not None
    assert result.receipt.left < 10
