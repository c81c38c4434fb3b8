"""Compactors at work in a plan: whatever they do, the share and the budget hold."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from hypothesis import given, strategies as st

from biblicus_context import BudgetError, CompactorError, ContextAssembler
from tests.assembly.fakes import Shelf, assembled, part_named, plan, words

SENTENCES = " ".join(f"Sentence number {n} stands here." for n in range(40))
KB = {"type": "context", "name": "kb"}


def cut(compactor: Any, budget: int = 20, text: str = SENTENCES, **more: Any) -> str:
    context = plan(
        {"type": "system", "content": text, "shrink": True},
        input_budget={"max_tokens": budget},
        compactor=compactor,
    )
    return assembled(context, **more).system_prompt


@pytest.mark.parametrize(
    ("compactor", "expected"),
    [
        (None, "Sentence number 0 stands here. Sentence number 1"),
        ("truncate", "Sentence number 0 stands here. Sentence number 1"),
        (
            {"type": "truncate", "mark": " […]"},
            "Sentence number 0 stands here. Sentence number […]",
        ),
        ("tail", "38 stands here. Sentence number 39 stands here."),
        ({"type": "tail", "mark": "[…] "}, "[…] stands here. Sentence number 39 stands here."),
        ("summary", "Sentence number 0 stands here."),
        ("drop_blocks", ""),
        ({"type": "long_only", "compactor": "summary"}, "Sentence number 0 stands here."),
        ({"type": "long_only", "characters": 5_000}, ""),
        ({"type": "head_tail", "mark": " […] "}, "Sentence number 0 stands […] 39 stands here."),
        ({"type": "chain", "steps": ["summary", "truncate"]}, "Sentence number 0 stands here."),
        (
            {"type": "chain", "steps": ["drop_blocks", "tail"]},
            "38 stands here. Sentence number 39 stands here.",
        ),
    ],
)
def test_the_policy_says_how_a_text_is_shortened(compactor: Any, expected: str):
    assert cut(compactor, budget=8) == expected


def test_the_extractive_compactor_keeps_what_matters_for_the_question():
    text = "We sell shoes. A refund takes five days. The sun is warm. Nobody knows why."
    call = {"inputs": {"query": "How long does a refund take?"}}
    assert cut("extractive", 6, text, **call) == "A refund takes five days."


def test_drop_blocks_keeps_whole_paragraphs():
    text = f"{words(5, 'one')}\n\n{words(5, 'two')}\n\n{words(5, 'three')}"
    assert cut("drop_blocks", 12, text) == f"{words(5, 'one')}\n\n{words(5, 'two')}"


def growing(request: Any) -> str:
    return request.text * 3


def vanishing(request: Any) -> str:
    return ""


def raising(request: Any) -> str:
    raise KeyError("no idea")


def lying(request: Any) -> Any:
    return {"text": request.text}


async def growing_later(request: Any) -> str:
    return request.text + " and more"


BAD = {
    "growing": growing,
    "vanishing": vanishing,
    "raising": raising,
    "lying": lying,
    "growing_later": growing_later,
}


@given(st.sampled_from(sorted(BAD)), st.integers(1, 80), st.lists(st.integers(1, 60), max_size=4))
def test_a_compactor_that_misbehaves_never_lets_more_than_the_share_through(
    name: str, share: int, sizes: list[int]
):
    context = plan(
        KB,
        input_budget={"max_tokens": 200},
        pack_budget={"default_max_tokens": share},
        compactor=name,
    )
    result = assembled(context, {"kb": Shelf([words(size) for size in sizes])}, compactors=BAD)
    assert result.token_count == len(result.system_prompt.split()) <= share


@pytest.mark.parametrize("name", ["growing", "raising", "lying", "growing_later"])
def test_what_had_to_be_put_right_is_noted_at_the_block(name: str):
    context = plan(KB, pack_budget={"default_max_tokens": 20}, compactor=name)
    result = assembled(context, {"kb": Shelf([words(60)])}, compactors=BAD)
    (block,) = part_named(result, "kb").blocks
    assert result.token_count == 20
    assert "the compactor" in block.reason


def test_a_compactor_that_returns_nothing_drops_the_block():
    context = plan(KB, pack_budget={"default_max_tokens": 20}, compactor="vanishing")
    result = assembled(context, {"kb": Shelf([words(60)])}, compactors=BAD)
    assert (result.messages, part_named(result, "kb").action) == ([], "dropped")


class Writer:
    """Stands for a model that writes summaries; keeps what it was asked."""

    def __init__(self, answer: Any = "In short: all is well.") -> None:
        self.answer = answer
        self.asked: list[Any] = []

    def __call__(self, request: Any) -> Any:
        self.asked.append(request)
        if isinstance(self.answer, Exception):
            raise self.answer
        return self.answer


class LaterWriter(Writer):
    async def __call__(self, request: Any) -> Any:
        await asyncio.sleep(0)
        return super().__call__(request)


def summarising(writer: Any, budget: int = 20, **settings: Any) -> ContextAssembler:
    context = plan(
        {"type": "system", "content": SENTENCES, "shrink": True},
        {"type": "user", "content": "{input.q}"},
        input_budget={"max_tokens": budget},
        compactor={"type": "summarize", **settings},
    )
    return ContextAssembler({"main": context}, summarizer=writer)


@pytest.mark.parametrize("kind", [Writer, LaterWriter])
def test_a_summary_is_written_by_the_caller_s_function(kind: type[Writer]):
    writer = kind()
    assembler = summarising(writer)
    assert assembler.assemble("main", inputs={"q": "?"}).system_prompt == "In short: all is well."
    (request,) = writer.asked
    assert (request.text, request.max_tokens) == (SENTENCES, 19)
    result = asyncio.run(assembler.aassemble("main", inputs={"q": "!"}))
    assert result.system_prompt == "In short: all is well."
    assert len(writer.asked) == 1


def test_a_summary_is_remembered_by_content():
    writer = Writer()
    context = plan(KB, pack_budget={"default_max_tokens": 20}, compactor={"type": "summarize"})
    texts = [words(60)]
    shelf = Shelf(texts)
    assembler = ContextAssembler({"main": context}, {"kb": shelf}, summarizer=writer)
    assembler.assemble("main")
    assembler.assemble("main")
    assert len(writer.asked) == 1
    texts[0] = words(61)
    assembler.assemble("main")
    assert len(writer.asked) == 2


def test_a_function_of_the_registry_may_write_the_summary():
    writer = Writer()
    settings = {"type": "summarize", "using": "model"}
    assert cut(settings, compactors={"model": writer}) == "In short: all is well."


def test_a_summary_that_is_too_long_is_cut_to_what_is_left():
    result = summarising(Writer(words(90, "long"))).assemble("main", inputs={"q": "?"})
    assert result.system_prompt == words(19, "long")


@pytest.mark.parametrize("answer", [OSError("offline"), None, 42, "", "  \n"])
def test_a_function_that_fails_falls_back_as_the_policy_says(answer: Any):
    inputs = {"q": "?"}
    default = summarising(Writer(answer)).assemble("main", inputs=inputs)
    assert default.system_prompt == " ".join(SENTENCES.split()[:19])
    tail = summarising(Writer(answer), fallback="tail").assemble("main", inputs=inputs)
    assert tail.system_prompt == " ".join(SENTENCES.split()[-19:])


@pytest.mark.parametrize("answer", [OSError("offline"), None, ""])
def test_a_function_that_fails_is_an_error_where_there_is_no_fallback(answer: Any):
    with pytest.raises(CompactorError, match=r"the summarizer .* there is no fallback"):
        summarising(Writer(answer), fallback=None).assemble("main", inputs={"q": "?"})


def test_a_function_that_takes_too_long_falls_back():
    async def hanging(request: Any) -> str:
        await asyncio.sleep(60)
        return "never"

    result = summarising(hanging, timeout_seconds=0.05).assemble("main", inputs={"q": "?"})
    assert result.system_prompt == " ".join(SENTENCES.split()[:19])


def test_pinned_packs_stay_whole_and_others_give_way():
    context = plan(
        {**KB, "pin": True},
        {"type": "context", "name": "faq", "priority": 9},
        {"type": "user", "content": words(10)},
        input_budget={"max_tokens": 50},
        compactor="drop_blocks",
    )
    shelves = {"kb": Shelf([words(30)]), "faq": Shelf([words(5, "a"), words(20, "b")])}
    result = assembled(context, shelves)
    assert result.system_prompt == f"{words(30)}\n\n{words(5, 'a')}"


def test_a_pinned_pack_over_its_share_is_an_error_with_both_sizes():
    context = plan({**KB, "pin": True}, pack_budget={"default_max_tokens": 20})
    with pytest.raises(
        BudgetError, match=r"'kb' is pinned.*kb|messages\[0\] 30, share 20"
    ) as error:
        assembled(context, {"kb": Shelf([words(30)])})
    assert (error.value.needed, error.value.budget) == (30, 20)


def test_a_pinned_pack_that_does_not_fit_beside_the_rest_is_named_with_its_size():
    context = plan(
        {**KB, "pin": True}, {"type": "user", "content": words(30)}, input_budget={"max_tokens": 50}
    )
    with pytest.raises(BudgetError) as error:
        assembled(context, {"kb": Shelf([words(30)])})
    assert error.value.parts == {"messages[0] (kb)": 30, "messages[1] (user)": 30}


def test_a_pinned_nested_context_is_an_error_rather_than_cut():
    hints = {"type": "system", "content": words(15), "shrink": True}
    contexts = {"inner": plan({"type": "system", "content": words(15)}, hints)}
    insert = {"type": "context", "name": "inner", "budget": {"max_tokens": 20}}
    context = plan(insert, input_budget={"max_tokens": 50})
    assert assembled(context, contexts=contexts).token_count <= 20
    with pytest.raises(BudgetError, match="'inner' is pinned"):
        assembled(plan({**insert, "pin": True}, input_budget={"max_tokens": 50}), contexts=contexts)


def test_a_pinned_history_is_kept_whole_or_an_error():
    history = [{"role": "user", "content": words(10)} for _ in range(5)]
    context = plan(
        {"type": "history", "pin": True},
        KB,
        input_budget={"max_tokens": 60},
        compactor="drop_blocks",
    )
    result = assembled(context, {"kb": Shelf([words(9), words(9)])}, history=history)
    assert (len(result.history), result.token_count) == (6, 59)
    with pytest.raises(BudgetError) as error:
        assembled(
            plan({"type": "history", "pin": True}, input_budget={"max_tokens": 40}), history=history
        )
    assert error.value.parts == {"messages[0] (history)": 50}


def test_texts_that_may_shrink_go_lowest_priority_first_and_later_ones_first():
    def text(name: str, priority: int) -> dict[str, Any]:
        return {"type": "system", "content": words(10, name), "shrink": True, "priority": priority}

    directives = [text("a", 0), text("b", 1), text("c", 0), {"type": "user", "content": "q"}]
    result = assembled(plan(*directives, input_budget={"max_tokens": 25}))
    assert [result.system_prompt.split().count(name) for name in "abc"] == [10, 10, 4]
    result = assembled(plan(*directives, input_budget={"max_tokens": 14}))
    assert [result.system_prompt.split().count(name) for name in "abc"] == [3, 10, 0]
    result = assembled(plan(*directives, input_budget={"max_tokens": 4}))
    assert [result.system_prompt.split().count(name) for name in "abc"] == [0, 3, 0]


def test_texts_that_may_shrink_inside_a_nested_context_go_after_its_evidence():
    contexts = {
        "inner": plan(
            {"type": "system", "content": words(10, "rule")},
            {"type": "system", "content": words(10, "soft"), "shrink": True},
            KB,
        )
    }
    insert = {"type": "context", "name": "inner"}
    context = plan(
        insert,
        {"type": "user", "content": words(10)},
        input_budget={"max_tokens": 35},
        compactor="drop_blocks",
    )
    kb = Shelf([words(5, "a"), words(5, "b")])
    text = assembled(context, {"kb": kb}, contexts).system_prompt
    assert [text.split().count(word) for word in ("rule", "soft", "a", "b")] == [10, 10, 5, 0]


def test_packs_of_lower_priority_shrink_first_and_later_ones_first():
    inserts = [{"type": "context", "name": name, "priority": at} for at, name in enumerate("xyz")]
    shelves = {name: Shelf([words(10, name)]) for name in "xyz"}
    context = plan(
        *inserts,
        {"type": "user", "content": words(10)},
        input_budget={"max_tokens": 30},
        compactor="drop_blocks",
    )
    assert assembled(context, shelves).system_prompt.split() == ["y"] * 10 + ["z"] * 10


def test_history_gives_way_before_packs_and_packs_before_texts():
    context = plan(
        {"type": "system", "content": words(10, "soft"), "shrink": True},
        KB,
        {"type": "history"},
        input_budget={"max_tokens": 25},
        compactor="drop_blocks",
    )
    history = [{"role": "user", "content": words(10)} for _ in range(3)]
    shelves = {"kb": Shelf([words(10, "a")])}
    result = assembled(context, shelves, history=history)
    assert (len(result.history), result.token_count) == (0, 20)
    assert result.system_prompt == f"{words(10, 'soft')}\n\n{words(10, 'a')}"


def test_the_summary_of_turns_falls_back_too():
    context = plan(
        {"type": "history", "keep_last": 1, "compactor": "raising"},
        input_budget={"max_tokens": 100},
    )
    history = [{"role": "user", "content": words(20)} for _ in range(9)]
    result = assembled(context, history=history, compactors=BAD)
    assert result.token_count <= 100
    assert result.history[-1] == history[-1]


def test_a_summary_that_comes_back_empty_leaves_the_turns_that_fit():
    context = plan({"type": "history", "compactor": "vanishing"}, input_budget={"max_tokens": 100})
    history = [{"role": "user", "content": words(20)} for _ in range(9)]
    result = assembled(context, history=history, compactors=BAD)
    assert result.history == history[-5:]


def test_there_is_no_summary_where_there_is_no_room_for_one():
    context = plan(
        {"type": "history", "keep_last": 2, "compactor": "truncate"},
        input_budget={"max_tokens": 45},
    )
    history = [{"role": "user", "content": words(20)} for _ in range(9)]
    assert assembled(context, history=history).history == history[-2:]


def test_a_summary_tells_tool_calls_and_texts_of_parts():
    asked: list[str] = []

    def summarise(request: Any) -> str:
        asked.append(request.text)
        return "short"

    history: list[dict[str, Any]] = [
        {"role": "user", "content": [{"type": "text", "text": "Look here"}, {"type": "image_url"}]},
        {
            "role": "assistant",
            "content": None,
            "tool_calls": [
                {"id": "1", "function": {"name": "look_up", "arguments": "{}"}},
            ],
        },
        {"role": "tool", "tool_call_id": "1", "content": "found"},
        *[{"role": "user", "content": words(20)} for _ in range(4)],
    ]
    history[0]["content"][1]["image_url"] = {"url": "https://example.com/a.png", "detail": "low"}
    context = plan(
        {"type": "history", "keep_last": 1, "compactor": "mine"}, input_budget={"max_tokens": 90}
    )
    assembled(context, history=history, compactors={"mine": summarise})
    assert asked[0].startswith("user: Look here\n\nassistant: [calls look_up]\n\ntool: found")
