"""Hostile sizes, shapes and texts: an answer within bounded time, or a clear error."""

from __future__ import annotations

import base64
from typing import Any

import pytest

from biblicus_context import (
    BudgetError,
    ContextAssembler,
    ContextAssemblyResult,
    ContextPack,
    ContextPackBlock,
    PlanError,
)
from tests.assembly.fakes import Shelf, assembled, plan, words
from tests.assembly.oracle import recounted
from tests.pace import within

MEGABYTES = {
    "letters": "a" * 1_000_000,
    "no spaces": "".join(f"x{n:06x}" for n in range(143_000)),
    "japanese": "日本語の文章は空白を使わない" * 24_000,
    "signs": "=-" * 500_000,
    "digits": "0123456789" * 100_000,
    "line breaks": "\n" * 1_000_000,
    "joiners": "👩\u200d" * 140_000,
}


def call(where: str, text: str) -> ContextAssemblyResult | BudgetError:
    shrink = where == "shrunk"
    messages: list[Any] = [
        {
            "type": "system",
            "content": text if where in ("system", "shrunk") else "s",
            "shrink": shrink,
        },
        {"type": "context", "name": "kb"},
        {"type": "history"},
        {"type": "user", "template": "{{ input.q }}"},
    ]
    policy = {"input_budget": {"max_tokens": 2000}, "pack_budget": {"default_ratio": 0.5}}
    kb = Shelf([text if where == "evidence" else "e"])
    assembler = ContextAssembler({"main": {"messages": messages, "policy": policy}}, {"kb": kb})
    try:
        return assembler.assemble(
            "main",
            inputs={"q": text if where == "input" else "q"},
            history=[{"role": "user", "content": text if where == "history" else "h"}],
        )
    except BudgetError as error:
        return error


@pytest.mark.parametrize("kind", MEGABYTES)
@pytest.mark.parametrize("where", ["system", "shrunk", "evidence", "history", "input"])
def test_a_megabyte_without_a_space_is_an_answer_or_a_clear_error_in_bounded_time(
    where: str, kind: str
):
    with within(10):
        result = call(where, MEGABYTES[kind])
    if isinstance(result, ContextAssemblyResult):
        assert result.token_count == recounted(result.messages) <= 2000
    else:
        assert where in ("system", "input")
        assert result.needed > 2000


@pytest.mark.parametrize("compactor", ["tail", "head_tail", "summary", "extractive", "drop_blocks"])
@pytest.mark.parametrize("kind", ["letters", "japanese", "signs"])
def test_every_compactor_cuts_a_megabyte_in_bounded_time(compactor: str, kind: str):
    context = {
        "messages": [{"type": "context", "name": "kb"}],
        "policy": {"input_budget": {"max_tokens": 500}, "compactor": compactor},
    }
    with within(10):
        result = assembled(context, {"kb": Shelf([MEGABYTES[kind]])})
    assert result.token_count <= 500


def nested_in_a_row(depth: int) -> dict[str, Any]:
    contexts = {
        f"c{n}": {
            "messages": [
                {"type": "system", "content": f"level {n}"},
                {"type": "context", "name": f"c{n + 1}"},
            ]
        }
        for n in range(depth)
    }
    return {**contexts, f"c{depth}": {"messages": [{"type": "context", "name": "kb"}]}}


def test_contexts_thirty_deep_are_assembled_with_as_many_requests_as_one():
    kb = Shelf([words(50)])
    contexts = nested_in_a_row(30)
    contexts["c0"]["policy"] = {"counter": "whitespace", "input_budget": {"max_tokens": 80}}
    with within(5):
        result = ContextAssembler(contexts, {"kb": kb}).assemble("c0")
    assert len(kb.requests) == 2  # it sent more than its share
    assert result.system_prompt.startswith("level 0\n\nlevel 1\n\n")
    assert result.token_count <= 80
    assert result.explain()


def test_contexts_nested_beyond_all_measure_are_refused():
    with within(2), pytest.raises(PlanError, match="nested more than 64 deep"):
        ContextAssembler(nested_in_a_row(500), {"kb": Shelf([])}).assemble("c0")


def test_contexts_that_multiply_are_refused_quickly():
    contexts = {f"c{n}": {"packs": [f"c{n + 1}", f"c{n + 1}"]} for n in range(20)}
    contexts["c20"] = {"messages": [{"type": "system", "content": "x"}]}
    with within(1), pytest.raises(PlanError, match=r"context 'c0' asks for [\d,]+ packs"):
        ContextAssembler(contexts).assemble("c0")


def test_five_hundred_packs_in_one_plan_are_asked_once_each():
    shelves = {f"r{n}": Shelf([f"b{n} {words(4)}"]) for n in range(500)}
    context = plan(
        *({"type": "context", "name": name} for name in shelves),
        input_budget={"max_tokens": 3000},
        pack_budget={"default_ratio": 1.0},
    )
    with within(5):
        result = assembled(context, shelves)
    assert {len(shelf.requests) for shelf in shelves.values()} == {1}
    assert {shelf.requests[0].max_tokens for shelf in shelves.values()} == {6}
    assert result.token_count == 2500
    assert len(result.receipt.parts) == 501


LONE = "a\ud800b\udfffc"


def test_lone_surrogates_anywhere_are_an_answer_that_can_be_sent_and_stored():
    blocks = [{"evidence_item_id": LONE, "text": LONE, "source": LONE, "metadata": {LONE: LONE}}]
    context = {
        "messages": [
            {"type": "system", "base": True},
            {"type": "context", "name": "kb", "format": {"metadata": True, "fence": True}},
            {"type": "history"},
            {"type": "user", "template": "{{ input.q }} {q}", "vars": {"q": LONE}},
        ],
        "policy": {"input_budget": {"max_tokens": 300}},
    }
    history = [
        {"role": "user", "content": LONE, "name": LONE},
        {"role": "assistant", "content": [{"type": "text", "text": LONE}]},
        {
            "role": "assistant",
            "content": None,
            "tool_calls": [{"id": LONE, "function": {"name": LONE, "arguments": LONE}}],
        },
        {"role": "tool", "tool_call_id": LONE, "content": LONE},
    ]
    tools = [{"type": "function", "function": {"name": LONE, "description": LONE}}]
    kb = Shelf(blocks)
    assembler = ContextAssembler({"main": context}, {"kb": kb})
    result = assembler.assemble(
        "main", LONE, history, LONE, {"input": {"q": LONE, "query": LONE}}, tools=tools
    )
    assert len(result.history) == 4
    assert result.receipt.model_dump_json().encode()
    assert result.explain().encode()
    assert len(result.fingerprint) == 32
    kb.requests[0].query.encode()


def test_lone_surrogates_in_errors_can_be_printed_and_logged(caplog: pytest.LogCaptureFixture):
    def failing(request: Any) -> Any:
        raise RuntimeError(LONE)

    context = plan({"type": "context", "name": "kb", "on_error": "skip"})
    result = assembled(context, {"kb": failing})
    assert result.explain().encode()
    assert result.receipt.model_dump_json().encode()
    assert "is left out" in caplog.text
    assert caplog.text.encode()


def test_lone_surrogates_in_a_plan_are_placed_as_written_and_counted_as_sent():
    result = assembled({"messages": [{"type": "system", "content": LONE}]})
    assert result.system_prompt == LONE
    assert result.token_count == recounted(result.messages)


def test_a_retriever_that_changes_its_request_changes_nothing_but_its_own_copy():
    seen: list[Any] = []

    def rude(request: Any) -> ContextPack:
        seen.append(request.model_copy(deep=True))
        start, limit = request.offset, request.limit
        request.offset, request.limit, request.query = 999, 1, "changed"
        request.max_tokens = request.maximum_total_characters = 1
        request.metadata.clear()
        blocks = [
            ContextPackBlock(evidence_item_id=f"e{n}", text=words(5))
            for n in range(start, start + limit)
        ]
        return ContextPack(text="", evidence_count=limit, blocks=blocks)

    retrievers = {"kb": {"config": {"query": "mine", "filters": {"a": [1]}}}}
    context = plan(
        {"type": "context", "name": "kb"},
        pack_budget={"default_max_tokens": 40},
        expansion={"max_pages": 3},
    )
    assembler = ContextAssembler({"main": context}, retrievers, default_retriever=rude)
    for _ in range(2):
        assembler.assemble("main")
    assert [one.offset for one in seen] == [0, 3, 6] * 2
    assert {one.query for one in seen} == {"mine"}
    assert {one.max_tokens for one in seen} == {40}
    assert all(one.metadata["retriever"] == "kb" for one in seen)


def test_a_retriever_that_changes_what_is_inside_its_metadata_is_alone_with_it():
    seen: list[Any] = []

    def rude(request: Any) -> ContextPack:
        seen.append(list(request.metadata["filters"]["a"]))
        request.metadata["filters"]["a"].append("changed")
        blocks = [
            ContextPackBlock(evidence_item_id=f"e{n}", text=words(5))
            for n in range(request.offset, request.offset + request.limit)
        ]
        return ContextPack(text="", evidence_count=request.limit, blocks=blocks)

    given = {"filters": {"a": [1]}}
    context = plan(
        {"type": "context", "name": "kb"},
        pack_budget={"default_max_tokens": 40},
        expansion={"max_pages": 3},
    )
    assembler = ContextAssembler(
        {"main": context}, {"kb": {"config": given}}, default_retriever=rude
    )
    assembler.assemble("main")
    assembler.assemble("main")
    assert given == {"filters": {"a": [1]}}
    assert seen == [[1]] * 6


def test_images_are_counted_by_the_rule_of_the_model_never_as_their_base64_text():
    png = b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR" + (64).to_bytes(4) * 2 + b"\x08\x06\0\0\0"
    url = "data:image/png;base64," + base64.b64encode(png + b"\0" * 600_000).decode()
    history = [
        {
            "role": "user",
            "content": [
                {"type": "text", "text": "What is this?"},
                {"type": "image_url", "image_url": {"url": url}},
            ],
        }
    ]
    context = {"messages": [{"type": "history"}], "policy": {"model": "gpt-4o"}}
    with within(2):
        result = ContextAssembler({"main": context}).assemble("main", history=history)
    assert result.history == history
    assert result.history[0] is not history[0]
    assert 85 <= result.token_count < 1000


def test_tool_definitions_and_calls_as_large_as_the_window_are_refused_with_their_size():
    tools = [{"type": "function", "function": {"name": "f", "description": words(200_000)}}]
    context = {"messages": [], "policy": {"model": "gpt-4o"}}
    with within(10), pytest.raises(BudgetError, match=r"window of 128000 tokens.*tools 200"):
        ContextAssembler({"main": context}).assemble("main", tools=tools)


def test_an_unknown_model_is_named_with_the_nearest():
    context = {"messages": [], "policy": {"model": "gtp-4o"}}
    with pytest.raises(PlanError, match="gpt-4o"):
        ContextAssembler({"main": context}).assemble("main")


def test_the_model_and_the_budget_of_one_call_come_before_those_of_the_policy():
    context = {"messages": [], "policy": {"model": "gpt-4", "input_budget": {"max_tokens": 50}}}
    assembler = ContextAssembler({"main": context})
    result = assembler.assemble("main", user_message="Hi", model="gpt-4o", budget=70)
    assert (result.receipt.model, result.receipt.counter) == ("gpt-4o", "o200k_base")
    assert result.receipt.budget == 70


def test_ten_thousand_blocks_in_a_pack_are_fitted_in_bounded_time():
    shelf = Shelf([f"b{n} {words(9)}" for n in range(10_000)])
    retrievers = {"kb": {"config": {"limit": 10_000}}}
    context = plan(
        {"type": "context", "name": "kb"},
        pack_budget={"default_max_tokens": 5000},
        max_iterations=1,
    )
    assembler = ContextAssembler({"main": context}, retrievers, default_retriever=shelf)
    with within(5):
        result = assembler.assemble("main")
    assert 4990 <= result.token_count <= 5000
