"""What `assemble` makes of its arguments, and of those that nothing places."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from biblicus_context import (
    BudgetError,
    ContextAssembler,
    ContextPack,
    Corpus,
    InputError,
    PlanError,
    UnknownNameError,
)


def test_a_misspelt_option_is_an_error_with_the_nearest_one():
    with pytest.raises(InputError, match=r"unknown option: found 'inputz'.*Did you mean 'inputs'"):
        ContextAssembler({"main": {}}).assemble("main", inputz={})  # type: ignore[call-arg]


def test_inputs_cannot_be_handed_in_twice():
    with pytest.raises(InputError, match="passed twice"):
        ContextAssembler({"main": {}}).assemble("main", inputs={}, template_context={"input": {}})


@pytest.mark.parametrize("history", ["text", {"role": "user"}, b"bytes"])
def test_a_history_that_is_no_list_of_messages_is_an_error(history: Any):
    with pytest.raises(InputError, match="history must be a list of messages"):
        ContextAssembler({"main": {}}).assemble("main", history=history)


def test_a_history_may_be_any_iterable_of_messages():
    history = ({"role": "user", "content": f"{n}"} for n in range(3))
    result = ContextAssembler({"main": {}}).assemble("main", history=history)
    assert [message["content"] for message in result.history] == ["0", "1", "2"]


def test_a_user_message_that_is_no_text_is_an_error():
    with pytest.raises(InputError, match="user_message must be text: found 'int'"):
        ContextAssembler({"main": {}}).assemble("main", user_message=3)  # type: ignore[arg-type]


@pytest.mark.parametrize("extra", [{}, {"name": "x"}])
def test_an_unknown_role_is_an_error_that_names_the_message_and_the_nearest_role(
    extra: dict[str, str],
):
    history = [{"role": "user", "content": "a"}, {"role": "usr", "content": "b", **extra}]
    with pytest.raises(InputError, match=r"history\[1\].role.*found 'usr'.*Did you mean 'user'"):
        ContextAssembler({"main": {}}).assemble("main", history=history)


def test_model_and_budget_of_a_call_replace_those_of_the_policy():
    plan = {"policy": {"model": "gpt-4o", "input_budget": {"max_tokens": 50}}}
    result = ContextAssembler({"main": plan}).assemble("main", model="gpt-4", budget=90)
    assert (result.receipt.model, result.receipt.budget) == ("gpt-4", 90)
    assert result.receipt.counter == "cl100k_base"


@pytest.mark.parametrize("budget", [0, -1, "many", 2.5, True])
def test_a_budget_that_is_no_number_of_tokens_is_an_error(budget: Any):
    with pytest.raises(InputError, match=r"1 token|whole number of tokens"):
        ContextAssembler({"main": {}}).assemble("main", budget=budget)


def test_names_of_contexts_and_models_have_to_be_text():
    assembler = ContextAssembler({"main": {}})
    with pytest.raises(InputError, match="context_name must be text: found 'int'"):
        assembler.assemble(3)  # type: ignore[arg-type]
    with pytest.raises(InputError, match="model must be text: found 'int'"):
        assembler.assemble("main", model=3)  # type: ignore[typeddict-item]


def test_an_unknown_model_is_an_error_that_names_the_policy_and_the_nearest_model():
    with pytest.raises(UnknownNameError, match=r"context 'main' policy: Model 'gpt-4oo'.*'gpt-4o'"):
        ContextAssembler({"main": {"policy": {"model": "gpt-4oo"}}}).assemble("main")


def test_a_model_that_is_only_estimated_is_flagged_in_result_and_receipt():
    result = ContextAssembler({"main": {"policy": {"model": "claude-sonnet-4"}}}).assemble("main")
    assert (result.estimated, result.receipt.estimated) == (True, True)


def test_a_counter_of_the_caller_replaces_the_estimate_of_a_model():
    assembler = ContextAssembler(
        {"main": {"policy": {"model": "claude-sonnet-4", "framing": "none"}}},
        counters={"claude-sonnet-4": len},
    )
    result = assembler.assemble("main", user_message="four")
    assert (result.token_count, result.estimated) == (4, False)


def test_a_mistake_in_a_declaration_from_python_says_where_and_what_is_valid():
    with pytest.raises(
        PlanError, match=r"Context 'page' mesages: unknown key.*Did you mean 'messages'"
    ):
        ContextAssembler({"page": {"mesages": []}})
    with pytest.raises(
        PlanError, match=r"messages.0: unknown type: found 'sytem'.*Did you mean 'system'"
    ):
        ContextAssembler({"page": {"messages": [{"type": "sytem"}]}})
    with pytest.raises(
        PlanError, match=r"messages.0: the type is missing. Valid: .*Write 'type' instead of 'role'"
    ):
        ContextAssembler({"page": {"messages": [{"role": "user", "content": "a"}]}})


def test_a_corpus_in_the_place_of_its_retriever_says_what_to_pass(tmp_path: Path):
    with (
        Corpus.open(tmp_path) as corpus,
        pytest.raises(PlanError, match=r"found 'Corpus'.*Pass corpus.retriever\(\)\."),
    ):
        ContextAssembler({"page": {"packs": ["kb"]}}, {"kb": corpus})


def test_what_is_handed_in_and_not_placed_is_in_the_receipt():
    plan = {"messages": [{"type": "user", "content": "mine"}]}
    history = [{"role": "user", "content": "a"}] * 3
    result = ContextAssembler({"main": plan}).assemble("main", "Base.", history, "yours")
    dropped = {part.place: part.reason for part in result.receipt.parts if part.action == "dropped"}
    assert dropped == {
        "history_messages": "the plan places no history",
        "base_system_prompt": "the plan does not ask for it (base: true)",
        "user_message": "the plan has a user message of its own",
    }
    (turns,) = next(part.turns for part in result.receipt.parts if part.kind == "history")
    assert (turns.first, turns.last) == (0, 2)


def test_a_callable_joins_the_retriever_that_a_file_declares_under_its_name(tmp_path: Path):
    (tmp_path / "plan.yaml").write_text(
        "kind: context\nname: main\nmessages: [{type: context, name: kb}]\n---\n"
        "kind: retriever\nname: kb\nconfig: {query: 'find {input.q}', limit: 7}\n"
    )
    asked: list[Any] = []

    def kb(request: Any) -> ContextPack:
        asked.append((request.query, request.limit))
        return ContextPack(text="found", evidence_count=1)

    assembler = ContextAssembler.from_path(tmp_path, retriever_registry={"kb": kb})
    assert assembler.assemble("main", inputs={"q": "this"}).system_prompt == "found"
    assert asked == [("find this", 7)]


UNKNOWN = {"model": "house-9", "fallback_counter": "characters", "input_budget": {"max_tokens": 9}}


def test_a_model_that_is_not_in_the_table_is_counted_by_the_fallback_and_the_receipt_says_so():
    assembler = ContextAssembler({"main": {"policy": UNKNOWN}})
    result = assembler.assemble("main", user_message="twelve chars")
    assert (result.token_count, result.estimated) == (3, True)
    assert (result.receipt.model, result.receipt.counter) == ("house-9", "characters")
    assert result.receipt.notes == (
        "the model 'house-9' is not in the table of models: tokens are estimated by 'characters'",
    )
    with pytest.raises(BudgetError, match="9"):
        assembler.assemble("main", user_message="more than nine tokens of four characters each")


def test_a_name_that_is_blank_is_not_an_unknown_model():
    with pytest.raises(UnknownNameError, match="Model '' not defined"):
        ContextAssembler({"main": {"policy": UNKNOWN}}).assemble("main", model="")


def test_a_known_model_is_counted_exactly_in_spite_of_a_fallback():
    assembler = ContextAssembler({"main": {"policy": {**UNKNOWN, "framing": "none"}}})
    result = assembler.assemble("main", user_message="Good morning", model="gpt-4o")
    assert (result.token_count, result.estimated, result.receipt.notes) == (2, False, ())


def test_a_counter_of_the_caller_under_the_name_of_an_unknown_model_takes_precedence():
    assembler = ContextAssembler({"main": {"policy": UNKNOWN}}, counters={"house-9": lambda _: 1})
    result = assembler.assemble("main", user_message="twelve chars")
    assert (result.token_count, result.estimated, result.receipt.counter) == (1, False, "house-9")


def test_a_call_with_a_model_counts_framing_unless_the_plan_counts_none():
    def tokens(policy):
        assembler = ContextAssembler({"main": {"policy": policy}})
        return assembler.assemble("main", user_message="Hello", model="gpt-4o").token_count

    assert (tokens({"framing": "none"}), tokens({}), tokens({"framing": "llama3"})) == (1, 8, 8)
