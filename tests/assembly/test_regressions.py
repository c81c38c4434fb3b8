"""What goes wrong elsewhere: in the engine this one replaces, and in its peers."""

from __future__ import annotations

import json
from typing import Any

import pytest

from biblicus_context import (
    BudgetError,
    ContextAssembler,
    ContextDeclaration,
    ContextPack,
    ContextPackBlock,
    CycleError,
)
from tests.assembly.oracle import orphans, recounted, tokens


def words(count: int, word: str = "word") -> str:
    return " ".join([word] * count)


def answering(*texts: str) -> Any:
    def retrieve(request: Any) -> ContextPack:
        retrieve.requests.append(request)
        page = texts[request.offset : request.offset + request.limit]
        blocks = [
            ContextPackBlock(evidence_item_id=f"e{request.offset + n}", text=text)
            for n, text in enumerate(page)
        ]
        return ContextPack(text="\n\n".join(page), evidence_count=len(page), blocks=blocks)

    retrieve.requests = []
    return retrieve


def plan(*messages: Any, **policy: Any) -> dict[str, Any]:
    return {"main": {"messages": list(messages), "policy": {"counter": "whitespace", **policy}}}


class TestTheOriginalEngine:
    def test_history_dropped_while_packs_were_large_is_back_once_they_have_shrunk(self):
        kb = answering(words(60))
        assembler = ContextAssembler(
            plan(
                {"type": "context", "name": "kb"},
                {"type": "history", "keep_last": 1},
                input_budget={"max_tokens": 70},
                pack_budget={"default_ratio": 1.0},
                compactor={"type": "drop_blocks"},
            ),
            {"kb": kb},
        )
        history = [{"role": "user", "content": words(15)} for _ in range(4)]
        assert len(assembler.assemble("main", history=history).history) == 4

    def test_the_fullest_attempt_is_returned_not_the_last(self):
        kb = answering(*[words(20, f"w{n}") for n in range(10)])
        assembler = ContextAssembler(
            plan(
                {"type": "context", "name": "kb"},
                input_budget={"max_tokens": 50},
                pack_budget={"default_ratio": 1.0},
                max_iterations=3,
            ),
            {"kb": kb},
        )
        assert assembler.assemble("main").token_count >= 40

    def test_instructions_behind_a_pack_are_not_cut_before_the_evidence(self):
        contexts = plan(
            {"type": "context", "name": "inner", "budget": {"max_tokens": 40}},
            input_budget={"max_tokens": 100},
        )
        contexts["inner"] = {
            "messages": [
                {"type": "context", "name": "kb"},
                {"type": "system", "content": "Never promise a date."},
            ]
        }
        kb = answering(words(30), words(30))
        result = ContextAssembler(contexts, {"kb": kb}).assemble("main")
        assert result.system_prompt.endswith("Never promise a date.")

    def test_a_context_that_inserts_itself_is_an_error_before_anything_runs(self):
        kb = answering("text")
        contexts = {
            "a": {
                "messages": [{"type": "context", "name": "kb"}, {"type": "context", "name": "b"}]
            },
            "b": {"messages": [{"type": "context", "name": "a"}]},
        }
        with pytest.raises(CycleError, match="a -> b -> a"):
            ContextAssembler(contexts, {"kb": kb}).assemble("a")
        assert kb.requests == []

    def test_braces_of_json_and_code_stay_as_they_are(self):
        content = 'Answer as {"answer": "...", "n": {}} or {{x}} or { y } in {unknown}.'
        result = ContextAssembler(plan({"type": "system", "content": content})).assemble("main")
        assert result.system_prompt == content

    def test_templates_do_not_reach_private_attributes(self):
        class User:
            name = "Ada"

        for text in ("{user.__init__.__globals__}", "{user._secret}"):
            result = ContextAssembler(plan({"type": "system", "content": text})).assemble(
                "main", template_context={"user": User()}
            )
            assert result.system_prompt == text

    def test_a_misspelt_overflow_is_refused(self):
        with pytest.raises(ValueError, match="'compact', 'error' or 'none'"):
            ContextDeclaration(name="x", policy={"overflow": "compct"})

    def test_the_newest_question_stays_when_the_plan_has_no_user_directive(self):
        assembler = ContextAssembler(plan({"type": "system", "content": "s"}, {"type": "history"}))
        result = assembler.assemble(
            "main", history=[{"role": "user", "content": "old"}], user_message="new"
        )
        assert (result.user_message, result.messages[-1]["content"]) == ("new", "new")
        assert [message["content"] for message in result.history] == ["old"]

    def test_a_nested_assembly_that_overflows_asks_each_retriever_once(self):
        kb = answering(*[words(20) for _ in range(3)])
        contexts = plan(
            {"type": "context", "name": "inner"},
            {"type": "user", "content": words(50)},
            input_budget={"max_tokens": 60},
            pack_budget={"default_ratio": 1.0},
            max_iterations=5,
            overflow="compact",
        )
        contexts["inner"] = {"messages": [{"type": "context", "name": "deepest"}]}
        contexts["deepest"] = {"messages": [{"type": "context", "name": "kb"}]}
        result = ContextAssembler(contexts, {"kb": kb}).assemble("main")
        assert len(kb.requests) == 1
        assert result.token_count <= 60

    def test_japanese_text_is_counted_in_tokens_of_the_model(self):
        text = "これは日本語の文章です。" * 20
        result = ContextAssembler({"main": {"messages": []}}).assemble("main", user_message=text)
        assert result.token_count == tokens(text) > 100


class TestPeers:
    @pytest.mark.parametrize("text", ["<|endoftext|>", "<|im_start|>system", "</s>[INST]"])
    def test_text_that_spells_a_control_token_is_counted_as_text(self, text: str):
        result = ContextAssembler({"main": {"packs": []}}).assemble("main", user_message=text)
        assert result.token_count == tokens(text) > 1

    def test_arguments_of_tool_calls_are_counted(self):
        arguments = json.dumps({"query": words(50)})
        history = [
            {
                "role": "assistant",
                "content": None,
                "tool_calls": [
                    {"id": "1", "function": {"name": "look_up", "arguments": arguments}}
                ],
            },
            {"role": "tool", "tool_call_id": "1", "content": "found"},
        ]
        result = ContextAssembler({"main": {"packs": []}}).assemble("main", history=history)
        assert result.token_count == recounted(history) > 50

    def test_an_oversized_question_is_an_error_not_a_silence(self):
        contexts = {"main": {"policy": {"input_budget": {"max_tokens": 20}}}}
        with pytest.raises(BudgetError, match="user_message"):
            ContextAssembler(contexts).assemble("main", user_message=words(100))

    def test_template_and_yaml_syntax_in_values_changes_nothing(self):
        value = "- role: system\n  content: {{ 7 * 7 }} {% raw %} {input.q}"
        result = ContextAssembler(plan({"type": "user", "template": "Q: {{ input.q }}"})).assemble(
            "main", inputs={"q": value}
        )
        assert result.messages == [{"role": "user", "content": f"Q: {value}"}]

    def test_later_turns_of_a_tool_loop_stay_when_its_first_turn_does_not_fit(self):
        history: list[dict[str, Any]] = [{"role": "user", "content": "go"}]
        for number in range(5):
            call = {"id": f"c{number}", "function": {"name": "f", "arguments": "{}"}}
            history.append({"role": "assistant", "content": None, "tool_calls": [call]})
            history.append({"role": "tool", "tool_call_id": f"c{number}", "content": words(20)})
        contexts = plan({"type": "history"}, framing="none", input_budget={"max_tokens": 70})
        result = ContextAssembler(contexts).assemble("main", history=history)
        assert len(result.history) == 6
        assert orphans(result.history) == []

    def test_packs_of_equal_priority_are_not_dropped_together(self):
        one, two = answering(words(30, "one")), answering(words(30, "two"))
        contexts = plan(
            {"type": "context", "name": "one"},
            {"type": "context", "name": "two"},
            {"type": "user", "content": words(20)},
            input_budget={"max_tokens": 60},
            compactor={"type": "drop_blocks"},
        )
        result = ContextAssembler(contexts, {"one": one, "two": two}).assemble("main")
        assert result.system_prompt == words(30, "one")

    def test_the_count_that_is_claimed_is_the_count_of_what_is_returned(self):
        kb = answering(*[f"Block {n}.\n\nIt has two paragraphs." for n in range(5)])
        result = ContextAssembler({"main": {"packs": "kb"}}, {"kb": kb}).assemble(
            "main", "Base.", [{"role": "user", "content": "Hi."}], "Now?"
        )
        assert result.token_count == recounted(result.messages)
