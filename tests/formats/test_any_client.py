"""`history=` takes the messages of any client library as they are."""

from __future__ import annotations

from typing import Any

import pytest

from biblicus_context import ContextAssembler, InputError
from biblicus_context.formats import to_langchain, to_pydantic_ai
from tests.formats.sdks import anthropic, gemini, langchain, openai, pydantic_ai

ASSEMBLER = ContextAssembler({"talk": {"messages": [{"type": "history"}]}})
ASKED = {"role": "user", "content": "Where is parcel 7?"}
CALLED = {
    "role": "assistant",
    "content": None,
    "tool_calls": [
        {"id": "c1", "type": "function", "function": {"name": "track", "arguments": '{"id":7}'}}
    ],
}
RESULT = {"role": "tool", "tool_call_id": "c1", "content": "On its way."}
SAID = {"role": "assistant", "content": "It is on its way."}
TALK = [ASKED, CALLED, RESULT, SAID]


def sent(history: Any) -> list[dict[str, Any]]:
    return list(ASSEMBLER.assemble("talk", history=history).messages)


def completion(message: dict[str, Any]) -> openai.types.chat.ChatCompletionMessage:
    return openai.types.chat.ChatCompletionMessage.model_validate(message)


def test_the_answers_of_openai_stand_among_mappings() -> None:
    assert sent([ASKED, completion(CALLED), RESULT, completion(SAID)]) == TALK


def test_messages_of_langchain() -> None:
    assert sent(to_langchain(TALK)) == TALK
    assert sent([ASKED, langchain.AIMessage("It is on its way.")]) == [ASKED, SAID]


def test_messages_of_pydantic_ai_with_several_parts() -> None:
    first, *rest = to_pydantic_ai(TALK)
    system = pydantic_ai.SystemPromptPart("You are kind.")
    messages = [pydantic_ai.ModelRequest(parts=[system, *first.parts]), *rest]
    assert sent(messages) == [{"role": "system", "content": "You are kind."}, *TALK]


def test_items_of_openais_responses() -> None:
    called = openai.types.responses.ResponseFunctionToolCall(
        call_id="c1", name="track", arguments='{"id":7}', type="function_call"
    )
    result = {"type": "function_call_output", "call_id": "c1", "output": "On its way."}
    assert sent([ASKED, called, result])[1:] == [CALLED, RESULT]


def test_answers_of_anthropic() -> None:
    answer = anthropic.types.Message.model_validate(
        {
            "id": "m1",
            "type": "message",
            "role": "assistant",
            "model": "claude",
            "content": [{"type": "text", "text": "It is on its way."}],
            "stop_reason": "end_turn",
            "stop_sequence": None,
            "usage": {"input_tokens": 1, "output_tokens": 1},
        }
    )
    assert sent([ASKED, answer]) == [ASKED, SAID]


def test_contents_of_gemini() -> None:
    def content(role: str, text: str) -> gemini.Content:
        return gemini.Content(role=role, parts=[gemini.Part(text=text)])

    talk = [content("user", ASKED["content"]), content("model", SAID["content"])]
    assert sent(talk) == [ASKED, SAID]


def test_a_message_counts_as_the_same_message_in_a_mapping() -> None:
    ours = ASSEMBLER.assemble("talk", history=TALK)
    theirs = ASSEMBLER.assemble("talk", history=to_langchain(TALK))
    assert theirs.token_count == ours.token_count
    assert theirs.fingerprint == ours.fingerprint


def test_one_answer_in_the_middle_of_a_long_history_is_found() -> None:
    history: list[Any] = [ASKED, SAID] * 1500
    history[1501] = completion(SAID)
    assert sent(history) == [ASKED, SAID] * 1500


def test_what_nobody_knows_is_named_with_its_place_and_what_to_pass() -> None:
    with pytest.raises(InputError) as raised:
        sent([ASKED, ("user", "Hello.")])
    assert str(raised.value).startswith(
        "history[1]: this must be a message: found ('user', 'Hello.')"
    )
    assert "of LangChain or of pydantic-ai" in str(raised.value)


def test_what_only_one_integration_can_read_is_named_with_its_place() -> None:
    strange = langchain.AIMessage("Hm.", additional_kwargs={"signature": "x"})
    with pytest.raises(ValueError, match=r"history\[1\]: messages\[0\]: these additional_kwargs"):
        sent([ASKED, strange])


def test_nothing_that_was_passed_is_changed() -> None:
    message = completion(CALLED)
    before = message.model_dump()
    sent([ASKED, message, RESULT])
    assert message.model_dump() == before
    assert isinstance(to_pydantic_ai([ASKED])[0], pydantic_ai.ModelRequest)
