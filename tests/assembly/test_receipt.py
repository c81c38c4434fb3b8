"""The receipt: every part, block and turn with what it asked for, what it got, and why."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import Any

import pytest
from hypothesis import given, settings, strategies as st

from biblicus_context import BudgetError, ContextAssembler, ContextAssemblyResult, Receipt
from tests.assembly.fakes import Shelf, assembled, part_named, plan, words
from tests.assembly.strategies import Case, cases

KB = {"type": "context", "name": "kb"}


def blocks(*sizes: int) -> list[Any]:
    return [
        {
            "evidence_item_id": f"doc-{n}",
            "text": words(size),
            "source": f"s{n}.md",
            "score": 1 - n / 10,
        }
        for n, size in enumerate(sizes)
    ]


def test_a_part_says_what_it_asked_for_what_it_got_and_why():
    context = plan(
        {"type": "system", "content": words(5)},
        KB,
        {"type": "user", "content": words(3)},
        input_budget={"max_tokens": 40},
        pack_budget={"default_max_tokens": 25},
        compactor={"type": "drop_blocks"},
        max_iterations=1,
    )
    retrievers = {"kb": {"config": {"query": "about {input.q}"}}}
    kb = Shelf(blocks(10, 10, 10))
    result = assembled(context, retrievers, retriever_override=kb, inputs={"q": "orders"})
    system, pack, user = result.receipt.parts
    assert (system.place, system.kind, system.asked, system.given) == (
        "messages[0]",
        "system",
        5,
        5,
    )
    assert (system.action, system.reason) == ("kept", "")
    assert (pack.place, pack.name, pack.share) == ("messages[1]", "kb", 25)
    assert (pack.asked, pack.given) == (30, 20)
    assert (pack.pages, pack.requests, pack.query) == (1, 1, "about orders")
    assert (pack.action, pack.reason) == ("shortened", "pack budget of 25 tokens is spent")
    assert (user.kind, user.given, user.action) == ("user", 3, "kept")


def test_a_block_says_where_it_came_from_and_what_became_of_it():
    context = plan(
        KB,
        input_budget={"max_tokens": 26},
        expansion={"max_pages": 2},
        pack_budget={"default_ratio": 1},
    )
    retrievers = {"kb": {"config": {"limit": 1}}}
    kb = Shelf(blocks(10, 30))
    pack = part_named(assembled(context, retrievers, retriever_override=kb), "kb")
    first, second = pack.blocks
    assert (first.id, first.source, first.score, first.page) == ("doc-0", "s0.md", 1.0, 1)
    assert (first.asked, first.given, first.action, first.reason) == (
        10,
        10,
        "kept",
        "",
    )
    assert (second.id, second.source, second.score, second.page) == ("doc-1", "s1.md", 0.9, 2)
    assert (second.asked, second.given, second.action) == (30, 16, "shortened")
    assert second.reason == "total budget of 26 tokens is full"
    assert (pack.pages, pack.requests, pack.given) == (2, 2, 26)


def test_source_and_score_are_found_in_the_metadata_as_well():
    block = {"text": "x", "metadata": {"source_uri": "a.md", "score": 3}}
    (entry,) = part_named(assembled(plan(KB), {"kb": Shelf([block])}), "kb").blocks
    assert (entry.source, entry.score) == ("a.md", 3.0)


def test_a_pack_that_had_to_go_says_so_with_every_block():
    context = plan(
        KB,
        {"type": "user", "content": words(10)},
        input_budget={"max_tokens": 12},
        compactor={"type": "drop_blocks"},
    )
    pack = part_named(assembled(context, {"kb": Shelf(blocks(10, 10))}), "kb")
    assert (pack.action, pack.reason) == ("dropped", "total budget of 12 tokens is full")
    assert [(one.action, one.given) for one in pack.blocks] == [("dropped", 0)] * 2


def test_requests_of_every_attempt_are_counted():
    context = plan(KB, pack_budget={"default_max_tokens": 20}, max_iterations=2)
    pack = part_named(assembled(context, {"kb": Shelf(blocks(30, 30))}), "kb")
    assert (pack.requests, pack.pages) == (2, 1)


def test_a_starved_pack_and_a_failed_one_are_named_with_their_reasons():
    def failing(request: Any) -> Any:
        raise ConnectionError("the index is gone")

    context = plan(
        {**KB, "priority": 1},
        {"type": "context", "name": "bad", "on_error": "skip", "priority": 2},
        {"type": "context", "name": "last"},
        pack_budget={"default_max_tokens": 2},
    )
    result = assembled(context, {"kb": Shelf(["x"]), "bad": failing, "last": Shelf(["y"])})
    found = {part.name: (part.action, part.reason) for part in result.receipt.parts if part.name}
    assert found == {
        "kb": ("kept", ""),
        "bad": ("failed", "failed: ConnectionError"),
        "last": ("not asked", "starved: pack budget of 2 tokens leaves it nothing"),
    }


def test_an_empty_text_is_named_as_empty():
    result = assembled(plan({"type": "user", "content": ""}))
    assert (result.messages, result.receipt.parts[0].reason) == ([], "empty")


def test_a_text_that_was_shortened_or_dropped_says_so():
    shrinking = {"type": "system", "content": words(20), "shrink": True, "priority": 3}
    pinned = {"type": "system", "content": words(10)}
    context = plan(shrinking, pinned, input_budget={"max_tokens": 15})
    part = assembled(context).receipt.parts[0]
    assert (part.asked, part.given, part.action, part.priority) == (
        20,
        5,
        "shortened",
        3,
    )
    context = plan(shrinking, pinned, input_budget={"max_tokens": 10})
    part = assembled(context).receipt.parts[0]
    assert (part.asked, part.given, part.action) == (20, 0, "dropped")
    assert "shrink: true" in part.reason


def test_a_nested_context_has_its_parts_below_it():
    contexts = {
        "inner": plan(
            {"type": "system", "content": words(4)}, KB, {"type": "context", "name": "deep"}
        ),
        "deep": plan({"type": "system", "content": words(3), "when": "input.no"}, KB),
    }
    context = plan({"type": "context", "name": "inner"}, input_budget={"max_tokens": 100})
    result = assembled(context, {"kb": Shelf(blocks(5))}, contexts, inputs={"no": 0})
    (inner,) = [part for part in result.receipt.parts if part.name == "inner"]
    text, pack, deep = inner.parts
    assert (text.kind, text.given) == ("system", 4)
    assert (pack.name, pack.given, pack.blocks[0].id) == ("kb", 5, "doc-0")
    deep_pack, unplaced = deep.parts
    assert (deep_pack.name, deep_pack.blocks[0].source) == ("kb", "s0.md")
    assert (unplaced.action, unplaced.place) == ("not asked", "messages[0]")
    assert (inner.requests, inner.given) == (2, 14)


def test_what_an_outer_context_took_is_written_at_the_inner_part():
    contexts = {"inner": plan({"type": "system", "content": words(4)}, KB)}
    context = plan(
        {"type": "context", "name": "inner"},
        {"type": "user", "content": words(10)},
        input_budget={"max_tokens": 20},
        compactor={"type": "drop_blocks"},
    )
    result = assembled(context, {"kb": Shelf(blocks(5, 5))}, contexts)
    inner = part_named(result, "inner")
    pack = inner.parts[1]
    assert [(one.action, one.given) for one in pack.blocks] == [("kept", 5), ("dropped", 0)]
    assert (pack.action, pack.asked, pack.given) == ("shortened", 10, 5)
    assert inner.given == 9


@pytest.mark.parametrize("levels", [1, 2])
@pytest.mark.parametrize(("most", "action"), [(6, "shortened"), (1, "dropped")])
def test_a_context_whose_packs_left_blocks_out_is_not_kept(levels: int, most: int, action: str):
    """Its own share had room: what is missing went inside."""
    capped = {**KB, "budget": {"max_tokens": most}}
    contexts = {"inner": plan(capped)}
    if levels == 2:
        contexts["outer"] = plan({"type": "context", "name": "inner"})
    context = plan(
        {"type": "context", "name": "outer" if levels == 2 else "inner"},
        input_budget={"max_tokens": 100},
        compactor={"type": "drop_blocks"},
    )
    result = assembled(context, {"kb": Shelf(blocks(5, 5))}, contexts)
    part = result.receipt.parts[0]
    said = f"in 'kb': {'trimmed to its' if most > 1 else 'its'} own budget of {most} token"
    for _ in range(levels):
        assert (part.action, part.cause, part.figure) == (action, "cap", most)
        assert said in part.reason
        (part,) = part.parts
    assert not result.receipt.is_complete


def test_totals_say_where_every_token_went():
    tools = [
        {"type": "function", "function": {"name": "f", "parameters": {}}},
        {"name": "g", "description": "As Anthropic has it.", "input_schema": {"type": "object"}},
        {"type": "web_search"},
        {"anything": "else"},
    ]
    names = ["f", "g", "web_search", "tools[3]"]
    context = {
        "messages": [
            {"type": "system", "content": "One."},
            {"type": "system", "content": "Two."},
            {"type": "history"},
            {"type": "user", "content": "Three?"},
        ],
        "policy": {"model": "gpt-4o", "reserve": {"output_tokens": 1000}},
    }
    history = [{"role": "user", "content": "Hello."}]
    result = ContextAssembler({"main": context}).assemble("main", history=history, tools=tools)
    receipt = result.receipt
    assert (receipt.context, receipt.model, receipt.counter) == ("main", "gpt-4o", "o200k_base")
    assert (receipt.window, receipt.reserve) == (128_000, 1000)
    assert receipt.tools > 0
    assert [each.name for each in receipt.tool_definitions] == names
    framing = receipt.tools - sum(each.tokens for each in receipt.tool_definitions)
    assert 0 < framing < 20  # what the model adds once for all tools
    assert receipt.budget == 128_000 - 1000 - receipt.tools
    assert "web_search" in receipt.explain(details=True)
    assert [each["name"] for each in receipt.to_json()["tool_definitions"]] == names
    assert receipt.framing > 0
    assert receipt.used == result.token_count
    assert receipt.used + receipt.left == receipt.budget
    assert receipt.used == (
        sum(part.given for part in receipt.parts) + receipt.framing + receipt.joins
    )
    assert not receipt.estimated


def test_without_a_budget_there_is_nothing_left_and_nothing_over():
    receipt = assembled(plan({"type": "system", "content": "x"})).receipt
    assert (receipt.budget, receipt.left, receipt.over) == (None, None, 0)


def test_an_estimated_count_is_flagged():
    context = {
        "messages": [{"type": "user", "content": "x"}],
        "policy": {"model": "claude-sonnet-4"},
    }
    result = ContextAssembler({"main": context}).assemble("main")
    assert result.estimated
    assert result.receipt.estimated
    assert "about" in result.explain()


def test_a_summary_of_turns_is_told_in_the_history():
    context = plan(
        {"type": "history", "keep_last": 1, "compactor": {"type": "truncate"}},
        input_budget={"max_tokens": 100},
    )
    history = [{"role": "user", "content": words(20)} for _ in range(8)]
    part = assembled(context, history=history).receipt.parts[0]
    assert part.action == "shortened"
    assert "a summary of" in part.reason


@settings(max_examples=2 * settings().max_examples)
@given(cases(overflow=("compact", "none")))
def test_a_receipt_comes_back_from_json_as_it_was(case: Case):
    try:
        result = ContextAssembler(**case.registries).assemble(**case.call)
    except BudgetError as error:
        receipt = error.receipt
    else:
        receipt = result.receipt
    if receipt is not None:
        assert Receipt.model_validate_json(receipt.model_dump_json()) == receipt


@pytest.mark.parametrize("score", [float("inf"), float("-inf"), float("nan"), 1e308, 0, True])
def test_a_receipt_with_a_score_of_any_kind_comes_back_from_json_as_it_was(score: float):
    result = assembled(plan(KB), {"kb": Shelf([{"text": "x", "metadata": {"score": score}}])})
    again = Receipt.model_validate_json(result.receipt.model_dump_json())
    assert repr(again.without_timings()) == repr(result.receipt.without_timings())
    assert again.now == result.receipt.now


PROGRAM = """
from biblicus_context import ContextAssembler, ContextPack, ContextPackBlock

def kb(request):
    blocks = [ContextPackBlock(evidence_item_id=f"e{n}", text="Some evidence here.",
                               metadata={"tags": "x", "source_uri": "s", "b": 1, "a": 2})
              for n in range(5)]
    return ContextPack(text="", evidence_count=5, blocks=blocks)

plan = {
    "inputs": ["product", "question", "tags"],
    "policy": {"input_budget": {"max_tokens": 90}, "pack_budget": {"default_ratio": 0.9}},
    "messages": [
        {"type": "system", "content": "For {input.product} {input.tags}"},
        {"type": "context", "name": "kb", "format": {"metadata": True, "fence": True}},
        {"type": "history"},
        {"type": "user", "template": "{{ input.question }}"},
    ],
}
result = ContextAssembler({"main": plan}, {"kb": kb}).assemble(
    "main", history=[{"role": "user", "content": "Hello there."}] * 9,
    inputs={"product": "shoes", "question": "Where?", "tags": {"b", "a", "c"}},
)
print(result.fingerprint)
"""


def test_the_fingerprint_is_the_same_in_every_process():
    found = {
        subprocess.run(
            [sys.executable, "-c", PROGRAM],
            env={**os.environ, "PYTHONHASHSEED": seed},
            check=True,
            capture_output=True,
            text=True,
        ).stdout
        for seed in ("0", "1", "42")
    }
    assert len(found) == 1
    assert len(found.pop().strip()) == 32


def fingerprint(**changes: Any) -> str:
    context = plan(
        {"type": "system", "content": changes.get("content", "For {input.who}.")},
        KB,
        {"type": "history"},
        {"type": "user", "content": "Q"},
        input_budget={"max_tokens": changes.get("budget", 100)},
    )
    kb = Shelf([{"evidence_item_id": changes.get("id", "e"), "text": changes.get("text", "t")}])
    history = [{"role": "user", "content": changes.get("said", "hello")}]
    return assembled(
        context, {"kb": kb}, inputs={"who": changes.get("who", "Ada")}, history=history
    ).fingerprint


@pytest.mark.parametrize(
    "change",
    [
        {"content": "to {input.who}."},
        {"who": "Bo"},
        {"budget": 101},
        {"id": "f"},
        {"text": "other"},
        {"said": "bye"},
    ],
)
def test_the_fingerprint_changes_with_everything_that_goes_in(change: dict[str, Any]):
    assert fingerprint() == fingerprint()
    assert fingerprint(**change) != fingerprint()


def test_timings_are_in_the_receipt_but_not_in_the_fingerprint():
    one, two = assembled(plan(KB), {"kb": Shelf(["x"])}), assembled(plan(KB), {"kb": Shelf(["x"])})
    assert [step.name for step in one.receipt.steps][:4] == ["resolve", "share", "gather", "fit"]
    assert all(step.seconds >= 0 for step in one.receipt.steps)
    assert one.receipt.steps != two.receipt.steps
    assert one.fingerprint == two.fingerprint
    assert one.receipt.without_timings() == two.receipt.without_timings()


def many_parts() -> Any:
    contexts = {"house-style": plan({"type": "system", "content": words(9)}, KB)}
    context = plan(
        {"type": "system", "content": words(5)},
        {**KB, "priority": 2},
        {"type": "context", "name": "house-style"},
        {"type": "history"},
        {"type": "system", "content": "never", "when": "input.no"},
        {"first": [words(2000), "short"]},
        {"type": "user", "content": words(3)},
        input_budget={"max_tokens": 1300},
        pack_budget={"default_max_tokens": 1200},
        framing={"per_message": 4, "per_reply": 3},
    )
    history = [{"role": "user", "content": words(20)} for _ in range(100)]
    return assembled(
        context, {"kb": Shelf(blocks(*[300] * 3))}, contexts, inputs={"no": 0}, history=history
    )


@pytest.mark.parametrize("width", range(40, 201, 7))
def test_no_line_of_the_explanation_is_wider_than_the_width(width: int):
    text = many_parts().explain(width)
    assert max(map(len, text.splitlines())) <= width


@pytest.mark.parametrize("width", [40, 60, 100, 200])
def test_the_explanation_names_every_part_at_any_width(width: int):
    result = many_parts()
    text = result.explain(width)
    for part in result.receipt.parts:
        assert (part.name or part.kind) in text
    for name in ("house-style", "message framing", "left"):
        assert name in text


@pytest.mark.parametrize("width", [1, 10, 39])
def test_a_terminal_narrower_than_forty_gets_a_table_of_forty(width: int):
    result = many_parts()
    assert result.explain(width) == result.explain(40)


def test_the_explanation_is_as_wide_as_the_terminal(monkeypatch: pytest.MonkeyPatch):
    result = many_parts()
    monkeypatch.setenv("COLUMNS", "64")
    assert result.explain() == result.explain(64)


def test_the_explanation_opens_with_the_totals_and_says_why():
    text = many_parts().explain(160)
    title, *_ = text.splitlines()
    assert title.startswith("main · whitespace · ")
    assert "of 1,300 tokens (" in title
    assert "of 100 messages" in text
    assert "without doc-" in text
    assert "2 requests" in text
    assert "alternative 2" in text
    assert "not asked: when: input.no does not hold" in text


def test_the_explanation_of_a_result_that_is_over_says_by_how_much():
    context = plan(
        {"type": "system", "content": words(30)}, input_budget={"max_tokens": 10}, overflow="none"
    )
    lines = assembled(context).explain(100).splitlines()
    assert any("over the budget" in line and "20" in line for line in lines)


def test_the_explanation_of_a_result_without_a_budget_says_so():
    assert "no budget" in assembled(plan({"type": "system", "content": "x"})).explain()


@given(st.integers(40, 200), st.text(st.characters(codec="utf-8"), min_size=1, max_size=60))
def test_no_reason_or_name_can_begin_a_line_of_its_own(width: int, text: str):
    def failing(request: Any) -> Any:
        raise RuntimeError(text)

    context = plan({"type": "context", "name": text, "on_error": "skip"})
    title, *lines = assembled(context, {text: failing}).explain(width).split("\n")
    assert max(map(len, [title, *lines])) <= width
    assert title.startswith("main · whitespace · 0 tokens")
    assert all(line.startswith("  ") for line in lines)
    assert sum("failed" in line for line in lines) >= 1


def test_a_long_name_is_clipped_and_still_told_by_its_beginning():
    name = "a-retriever-with-a-very-long-name-that-does-not-fit-into-any-column"
    text = assembled(plan({"type": "context", "name": name}), {name: Shelf(["x"])}).explain(60)
    assert "a-retriever-with" in text
    assert max(map(len, text.splitlines())) <= 60


def test_a_result_made_by_hand_has_no_receipt():
    result = ContextAssemblyResult("s", [], "u", 3)
    with pytest.raises(AttributeError, match="was not assembled"):
        _ = result.receipt


def test_what_was_offered_only_in_an_answer_that_is_not_placed_is_in_the_receipt():
    """Asked again for less, a retriever may find something else; nothing that it offered is lost."""

    def choosy(request: Any) -> list[dict[str, str]]:
        if request.limit > 1:
            return [{"evidence_item_id": "long", "text": words(90)}]
        return [{"evidence_item_id": "short", "text": words(8)}]

    result = assembled(plan(KB, pack_budget={"default_max_tokens": 10}), {"kb": choosy})
    long, short = sorted(part_named(result, "kb").blocks, key=lambda block: block.id)
    assert (short.action, short.given) == ("kept", 8)
    assert (long.action, long.cause, long.given) == ("dropped", "other_answer", 0)
    assert long.reason == "another answer of the retriever is placed"


def test_a_receipt_names_the_evidence_of_a_pack_that_is_placed():
    plan = {
        "policy": {"input_budget": {"max_tokens": 12}, "pack_budget": {"default_ratio": 1.0}},
        "messages": [
            {"type": "context", "name": "inner"},
            {"type": "context", "name": "kb", "priority": 2},
        ],
    }
    inner = {"messages": [{"type": "context", "name": "kb"}]}
    found = [{"id": each, "text": f"{each} " * 3} for each in ("one", "two", "three", "four")]
    assembler = ContextAssembler({"main": plan, "inner": inner}, {"kb": lambda _: found})
    result = assembler.assemble("main")
    cited = dict.fromkeys(each.evidence for each in result.citations)
    assert result.receipt.placed("kb") == (*cited,) == ("one", "two")
    assert result.receipt.placed("mail") == ()


def test_a_pack_that_found_nothing_is_not_said_to_be_kept():
    plan = {"messages": [{"type": "context", "name": "kb"}, {"type": "user", "content": "Why?"}]}
    result = ContextAssembler(
        {"main": plan},
        retriever_functions={"kb": lambda request: []},
        retriever_registry={"kb": {}},
    ).assemble("main", budget=100)
    [line] = [line for line in result.explain(100).splitlines() if line.strip().startswith("kb")]
    assert line.split("  ")[-1].strip() == "the retriever returned nothing · 1 request"
