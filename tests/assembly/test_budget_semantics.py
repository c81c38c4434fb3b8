"""The worked figures of the budget semantics."""

from __future__ import annotations

from typing import Any

import pytest

from biblicus_context import (
    BudgetError,
    ContextAssembler,
    ContextPack,
    ContextPackBlock,
    ContextRetrieverRequest,
    PlanError,
)


def words(count: int, word: str = "word") -> str:
    return " ".join([word] * count)


class Recorder:
    """A retriever over numbered blocks of equal size that keeps what it is asked."""

    def __init__(self, blocks: int = 100, size: int = 10, keeps_budget: bool = True) -> None:
        self.blocks = [f"b{n} {words(size - 1)}" for n in range(blocks)]
        self.keeps_budget = keeps_budget
        self.requests: list[ContextRetrieverRequest] = []

    def __call__(self, request: ContextRetrieverRequest) -> ContextPack:
        self.requests.append(request)
        page = self.blocks[request.offset : request.offset + request.limit]
        if self.keeps_budget and request.max_tokens:
            size = len(self.blocks[0].split()) + 1
            page = page[: max(0, request.max_tokens // size)]
        blocks = [
            ContextPackBlock(evidence_item_id=text.split()[0], text=text, metadata=None)
            for text in page
        ]
        return ContextPack(text="\n\n".join(page), evidence_count=len(page), blocks=blocks)


def assembler(
    messages: list[Any] | None, policy: dict[str, Any], **retrievers: Any
) -> ContextAssembler:
    plan: dict[str, Any] = {"policy": {"counter": "whitespace", **policy}}
    if messages is not None:
        plan["messages"] = messages
    return ContextAssembler({"main": plan}, retrievers)


def budget_of(result: Any) -> int | None:
    return result.receipt.budget


SYSTEM = {"type": "system", "content": "s"}


@pytest.mark.parametrize(
    ("policy", "expected"),
    [
        ({"input_budget": {"max_tokens": 50}}, 50),
        ({"window": 1000, "input_budget": {"ratio": 0.5}}, 500),
        ({"window": 1000, "input_budget": {"ratio": 0.5, "max_tokens": 300}}, 300),
        ({"window": 1000, "input_budget": {"ratio": 0.29}}, 290),
        ({"window": 1000, "reserve": {"output_tokens": 200}, "input_budget": {"ratio": 0.5}}, 400),
        ({"window": 1000, "reserve": {"output_tokens": 200}}, 800),
        (
            {"window": 1000, "reserve": {"output_tokens": 990}, "input_budget": {"max_tokens": 50}},
            10,
        ),
        ({}, None),
    ],
)
def test_the_input_budget_is_the_smaller_of_its_limits_within_the_window_less_the_reserve(
    policy: dict[str, Any], expected: int | None
):
    assert budget_of(assembler([SYSTEM], policy).assemble("main")) == expected


def test_tool_definitions_come_off_the_window():
    tools = [{"type": "function", "function": {"name": "look_up", "parameters": {}}}]
    result = assembler([SYSTEM], {"window": 1000, "counter": "characters"}).assemble(
        "main", tools=tools
    )
    assert result.receipt.tools > 0
    assert result.receipt.budget == 1000 - result.receipt.tools


@pytest.mark.parametrize("window", [None, 10_000])
def test_tool_definitions_come_off_what_the_plan_allows_for_everything_sent(window: int | None):
    tools = [{"type": "function", "function": {"name": "look_up", "parameters": {}}}]
    policy = {"counter": "characters", "input_budget": {"max_tokens": 1000}}
    policy |= {"window": window} if window else {}
    result = assembler([SYSTEM], policy).assemble("main", tools=tools)
    assert result.receipt.tools > 0
    assert result.receipt.budget == 1000 - result.receipt.tools
    result = assembler([SYSTEM], policy).assemble("main", tools=tools, budget=500)
    assert result.receipt.budget == 500 - result.receipt.tools


def test_tool_definitions_larger_than_the_input_budget_are_an_error_with_their_size():
    tools = [{"type": "function", "function": {"name": "look_up_it" * 9, "parameters": {}}}]
    policy = {"counter": "characters", "input_budget": {"max_tokens": 20}}
    with pytest.raises(
        BudgetError, match=r"20 tokens leaves nothing besides the tool.*\(tools \d+"
    ):
        assembler([SYSTEM], policy).assemble("main", tools=tools)


def test_the_answer_is_reserved_off_the_window_and_not_off_the_input_budget():
    policy = {
        "window": 10_000,
        "input_budget": {"max_tokens": 1000},
        "reserve": {"output_tokens": 500},
    }
    assert budget_of(assembler([SYSTEM], policy).assemble("main")) == 1000


def test_a_reserve_that_leaves_nothing_is_an_error_with_the_figures():
    policy = {"window": 100, "reserve": {"output_tokens": 100}}
    with pytest.raises(BudgetError, match=r"window of 100 tokens .*reserve.output_tokens 100"):
        assembler([SYSTEM], policy).assemble("main")


def test_a_ratio_without_a_window_is_an_error_that_says_what_to_set():
    with pytest.raises(PlanError, match=r"needs a window.*Name a model"):
        assembler([SYSTEM], {"input_budget": {"ratio": 0.5}}).assemble("main")


def test_a_pack_is_asked_for_its_share_and_four_characters_a_token():
    kb = Recorder()
    plan = [{"type": "context", "name": "kb"}]
    policy = {"input_budget": {"max_tokens": 100}, "pack_budget": {"default_ratio": 0.5}}
    assembler(plan, policy, kb=kb).assemble("main")
    (request,) = kb.requests
    assert (request.max_tokens, request.maximum_total_characters) == (50, 200)
    assert (request.offset, request.limit) == (0, 3)


def test_pages_are_asked_until_the_share_is_filled_and_offsets_grow_by_the_limit():
    kb = Recorder()
    plan = [{"type": "context", "name": "kb"}]
    policy = {
        "input_budget": {"max_tokens": 200},
        "pack_budget": {"default_ratio": 0.5},
        "expansion": {"max_pages": 9, "min_fill_ratio": 0.85},
    }
    result = assembler(plan, policy, kb=kb).assemble("main")
    assert [request.offset for request in kb.requests] == [0, 3, 6]
    assert len(result.system_prompt.split()) == 90


def test_a_plan_that_fits_after_one_page_makes_one_request_a_pack():
    kb, faq = Recorder(blocks=2), Recorder(blocks=2)
    plan = [{"type": "context", "name": "kb"}, {"type": "context", "name": "faq"}]
    policy = {
        "input_budget": {"max_tokens": 400},
        "pack_budget": {"default_ratio": 0.5},
        "expansion": {"max_pages": 9},
        "max_iterations": 5,
        "dedupe": False,
    }
    assembler(plan, policy, kb=kb, faq=faq).assemble("main")
    assert (len(kb.requests), len(faq.requests)) == (1, 1)


def test_a_pack_that_comes_back_over_its_share_is_asked_again_for_half():
    kb = Recorder(size=20, keeps_budget=False)
    plan = [{"type": "context", "name": "kb"}]
    policy = {"input_budget": {"max_tokens": 100}, "pack_budget": {"default_ratio": 0.5}}
    result = assembler(plan, policy, kb=kb).assemble("main")
    assert [(r.max_tokens, r.maximum_total_characters, r.limit) for r in kb.requests] == [
        (50, 200, 3),
        (25, 100, 1),
    ]
    assert result.token_count <= 50


def test_what_is_still_over_loses_whole_blocks_first_and_the_rest_is_filled_by_the_compactor():
    kb = Recorder(size=20, keeps_budget=False)
    plan = [{"type": "context", "name": "kb"}]
    policy = {"input_budget": {"max_tokens": 100}, "pack_budget": {"default_ratio": 0.5}}
    result = assembler(plan, policy, kb=kb).assemble("main")
    (pack,) = [part for part in result.receipt.parts if part.kind == "context"]
    assert [block.action for block in pack.blocks] == ["kept", "kept", "dropped"]
    assert result.token_count == 40


def test_one_block_larger_than_the_share_is_cut_by_the_compactor():
    plan = [{"type": "context", "name": "kb"}]
    policy = {
        "input_budget": {"max_tokens": 100},
        "pack_budget": {"default_ratio": 0.5},
        "max_iterations": 1,
    }
    kb = Recorder(blocks=1, size=400, keeps_budget=False)
    result = assembler(plan, policy, kb=kb).assemble("main")
    assert result.token_count == 50


def test_history_goes_first_and_comes_back_as_far_as_there_is_room():
    kb = Recorder()
    plan = [SYSTEM, {"type": "context", "name": "kb"}, {"type": "history"}]
    policy = {"input_budget": {"max_tokens": 100}, "pack_budget": {"default_ratio": 0.5}}
    history = [{"role": "user", "content": words(20)} for _ in range(10)]
    result = assembler(plan, policy, kb=kb).assemble("main", history=history)
    assert len(result.history) == 3
    assert result.token_count == 1 + 30 + 60


def test_turns_that_are_to_be_kept_stay_and_packs_shrink_instead():
    kb = Recorder()
    plan = [SYSTEM, {"type": "context", "name": "kb"}, {"type": "history", "keep_last": 4}]
    policy = {
        "input_budget": {"max_tokens": 100},
        "pack_budget": {"default_ratio": 0.5},
        "compactor": {"type": "drop_blocks"},
    }
    history = [{"role": "user", "content": words(20)} for _ in range(10)]
    result = assembler(plan, policy, kb=kb).assemble("main", history=history)
    assert len(result.history) == 4
    assert result.token_count == 1 + 80 + 10


def test_the_pack_of_lowest_priority_shrinks_first():
    kb, faq = Recorder(), Recorder()
    plan = [
        {"type": "context", "name": "kb", "priority": 1},
        {"type": "context", "name": "faq", "priority": 2},
        {"type": "user", "content": words(60)},
    ]
    policy = {
        "input_budget": {"max_tokens": 100},
        "pack_budget": {"default_ratio": 0.6},
        "compactor": {"type": "drop_blocks"},
        "dedupe": False,
    }
    result = assembler(plan, policy, kb=kb, faq=faq).assemble("main")
    given = {part.name: part.given for part in result.receipt.parts}
    assert (given["kb"], given["faq"]) == (20, 20) or (given["kb"], given["faq"]) == (10, 30)


def test_texts_that_may_shrink_do_so_last_and_pinned_text_stays_byte_identical():
    pinned = words(40, "pinned")
    plan = [
        {"type": "system", "content": pinned},
        {"type": "system", "content": words(80), "shrink": True},
        {"type": "user", "content": words(30, "asked")},
    ]
    result = assembler(plan, {"input_budget": {"max_tokens": 100}}).assemble("main")
    assert result.system_prompt == f"{pinned}\n\n{words(30)}"
    assert result.user_message == words(30, "asked")


def test_pinned_text_over_the_budget_is_an_error_that_names_it_with_its_size():
    plan = [{"type": "system", "content": words(70)}, {"type": "user", "content": words(50)}]
    with pytest.raises(BudgetError) as caught:
        assembler(plan, {"input_budget": {"max_tokens": 100}}).assemble("main")
    assert caught.value.parts == {"messages[0] (system)": 70, "messages[1] (user)": 50}
    assert (caught.value.needed, caught.value.budget) == (120, 100)
    assert caught.value.receipt is not None


def test_overflow_error_raises_at_once_with_the_receipt():
    plan = [SYSTEM, {"type": "history"}]
    history = [{"role": "user", "content": words(20)} for _ in range(10)]
    policy = {"input_budget": {"max_tokens": 100}, "overflow": "error"}
    with pytest.raises(BudgetError, match="its budget is 100") as caught:
        assembler(plan, policy).assemble("main", history=history)
    assert caught.value.receipt is not None


def test_an_error_about_a_pack_has_the_sizes_of_the_pack():
    plan = [{"type": "context", "name": "kb"}]
    policy = {
        "input_budget": {"max_tokens": 100},
        "pack_budget": {"default_max_tokens": 5},
        "overflow": "error",
    }
    answer = {"text": words(8), "evidence_count": 1, "blocks": []}
    with pytest.raises(BudgetError, match="its share is 5") as caught:
        assembler(plan, policy, kb=lambda request: answer).assemble("main")
    assert (caught.value.needed, caught.value.budget) == (8, 5)


def test_overflow_none_returns_what_was_asked_and_reports_it_as_over():
    plan = [SYSTEM, {"type": "history"}]
    history = [{"role": "user", "content": words(20)} for _ in range(10)]
    policy = {"input_budget": {"max_tokens": 100}, "overflow": "none"}
    result = assembler(plan, policy).assemble("main", history=history)
    assert result.token_count == 201
    assert (result.receipt.over, result.receipt.left) == (101, 0)


def test_the_same_pack_named_twice_has_two_shares():
    kb = Recorder()
    plan = [{"type": "context", "name": "kb"}, {"type": "context", "name": "kb"}]
    policy = {"input_budget": {"max_tokens": 100}, "pack_budget": {"default_max_tokens": 50}}
    assembler(plan, policy, kb=kb).assemble("main")
    assert [request.max_tokens for request in kb.requests] == [25, 25]


def test_a_starved_pack_is_not_asked_and_is_named_in_the_receipt():
    kb, faq, rest = Recorder(), Recorder(), Recorder()
    plan = [{"type": "context", "name": name} for name in ("kb", "faq", "rest")]
    policy = {"pack_budget": {"default_max_tokens": 2}}
    result = assembler(plan, policy, kb=kb, faq=faq, rest=rest).assemble("main")
    starved = next(part for part in result.receipt.parts if part.name == "rest")
    assert rest.requests == []
    assert (starved.action, starved.share) == ("not asked", 0)


def test_a_nested_context_keeps_within_its_outer_share():
    kb = Recorder()
    outer = ContextAssembler(
        {
            "main": {
                "policy": {
                    "counter": "whitespace",
                    "input_budget": {"max_tokens": 100},
                    "pack_budget": {"default_ratio": 0.4},
                },
                "messages": [{"type": "context", "name": "inner"}],
            },
            "inner": {
                "messages": [
                    {"type": "system", "content": words(10, "rule")},
                    {"type": "context", "name": "kb"},
                    {"type": "system", "content": words(5, "last")},
                ]
            },
        },
        {"kb": kb},
    )
    result = outer.assemble("main")
    assert [request.max_tokens for request in kb.requests] == [25]
    assert result.system_prompt.startswith(words(10, "rule"))
    assert result.system_prompt.endswith(words(5, "last"))
    assert result.token_count <= 40


def test_the_default_plan_places_base_prompt_packs_history_and_user_message():
    kb = Recorder(blocks=1)
    assembler = ContextAssembler({"main": {"packs": "kb"}}, {"kb": kb})
    history = [{"role": "user", "content": "before"}, {"role": "assistant", "content": "yes"}]
    result = assembler.assemble("main", "Base.", history, "Now?")
    assert result.system_prompt == f"Base.\n\n{kb.blocks[0]}"
    assert result.history == history
    assert result.user_message == "Now?"


def test_an_explicit_empty_plan_places_only_the_user_message():
    result = ContextAssembler({"main": {"messages": []}}).assemble("main", "Base.", [], "Now?")
    assert result.messages == [{"role": "user", "content": "Now?"}]


def test_the_base_prompt_is_placed_where_a_directive_asks_for_it():
    plan = {"messages": [{"type": "system", "content": "One."}, {"type": "system", "base": True}]}
    result = ContextAssembler({"main": plan}).assemble("main", "Base.")
    assert result.system_prompt == "One.\n\nBase."


def test_few_shot_directives_after_the_history_keep_their_place():
    plan = [
        SYSTEM,
        {"type": "history"},
        {"type": "user", "content": "2+2"},
        {"type": "assistant", "content": "4"},
        {"type": "user", "content": "3+3"},
    ]
    result = ContextAssembler({"main": {"messages": plan}}).assemble(
        "main", history=[{"role": "user", "content": "hello"}]
    )
    assert [message["content"] for message in result.messages] == ["s", "hello", "2+2", "4", "3+3"]
    assert result.user_message == "3+3"
    assert [message["content"] for message in result.history] == ["hello", "2+2", "4"]


def test_none_and_list_contents_come_back_as_they_were():
    history = [
        {"role": "user", "content": [{"type": "text", "text": "Look"}]},
        {"role": "assistant", "content": None},
    ]
    result = ContextAssembler({"main": {"messages": [{"type": "history"}]}}).assemble(
        "main", history=history
    )
    assert result.history == history
