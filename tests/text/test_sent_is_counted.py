"""Everything that is sent is counted: a key that nobody knows costs tokens like any other text."""

from __future__ import annotations

import base64
from typing import Any

import pytest

from biblicus_context import BudgetError, ContextAssembler
from biblicus_context.text.counters import default_counter
from biblicus_context.text.messages.framing import FRAMINGS
from biblicus_context.text.messages.meter import MessageMeter

WORDS = "word\n" * 20_000
ONE_TOKEN_A_LINE = 20_000
METER = MessageMeter(default_counter(), FRAMINGS["openai"])
PNG = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNkYAAAAAYAAjCB0C8AAAAASUVORK5CYII="
IMAGE = {"type": "image_url", "image_url": {"url": f"data:image/png;base64,{PNG}"}}
DOCUMENT = {"type": "text", "media_type": "text/plain", "data": WORDS}
PDF = base64.b64encode(b"%PDF-1.7 /Type /Page" + b"\0" * 1_200_000).decode()


def user(*parts: object, **more: object) -> dict[str, Any]:
    return {"role": "user", "content": list(parts) or "x", **more}


def calling(**call: object) -> dict[str, Any]:
    return {"role": "assistant", "content": None, "tool_calls": [{"id": "c", **call}]}


HIDDEN = {
    "a document of plain text": user({"type": "document", "source": DOCUMENT}),
    "a text that only begins like a file": user({"type": "odd", "x": f"data:;base64,{WORDS}"}),
    "a file that is not base64": user({"type": "file", "file": {"file_data": WORDS}}),
    "a text under the name data": user({"type": "odd", "data": "word" * 40_000}),
    "text declared as a text file": user(
        {"inline_data": {"mime_type": "text/plain", "data": base64.b64encode(WORDS.encode()).decode()}}
    ),
    "reasoning": user(reasoning=WORDS),
    "reasoning_details": user(reasoning_details=[{"type": "reasoning.text", "text": WORDS}]),
    "any key": user(extra={"deep": [WORDS]}),
    "a long key": user(**{WORDS: None}),
    "a long role": {"role": WORDS, "content": "x"},
    "a long id": {"role": "tool", "tool_call_id": WORDS, "content": "x"},
    "a long type": user({"type": "text", "text": "x", "id": WORDS}),
    "a mark of a cache": user({"type": "text", "text": "x", "cache_control": {"type": WORDS}}),
    "a text next to an image": user({**IMAGE, "text": WORDS}),
    "a text in the place of an address": user({"type": "image_url", "image_url": {"url": WORDS}}),
    "a text in a data URL": user({"type": "input_image", "image_url": f"data:image/png,{WORDS}"}),
    "a title of a text": user({"type": "text", "text": "x", "citations": [WORDS]}),
    "a second set of arguments": calling(function={"name": "f", "arguments": "{}", "input": WORDS}),
    "a key next to a function": calling(function={"name": "f", "arguments": "{}"}, custom=WORDS),
    "a key of a result": user({"type": "tool_result", "tool_use_id": "c", "content": "", "more": WORDS}),
    "a signature that is text": user({"type": "thinking", "thinking": "", "signature": WORDS + "!"}),
}  # fmt: skip


@pytest.mark.parametrize("message", HIDDEN.values(), ids=list(HIDDEN))
def test_text_is_counted_wherever_it_hides(message: dict[str, Any]) -> None:
    """A budget of 500 cannot hold twenty thousand words, under whatever key they are."""
    assert METER.measure(message) >= ONE_TOKEN_A_LINE
    plan = {"messages": [{"type": "history", "keep_last": 1}]}
    if message["role"] == "user" and "tool_result" not in str(message):
        with pytest.raises(BudgetError):
            ContextAssembler({"p": plan}).assemble("p", history=[message], budget=500)


@pytest.mark.parametrize(
    ("part", "kind", "least"),
    [
        (
            {
                "type": "document",
                "source": {"type": "base64", "media_type": "application/pdf", "data": PDF},
            },
            "PDF files",
            18_000,
        ),
        (
            {"type": "file", "file": {"file_data": f"data:application/pdf;base64,{PDF}"}},
            "PDF files",
            18_000,
        ),
        (
            {"type": "input_audio", "input_audio": {"data": "UklG" * 15_000, "format": "wav"}},
            "audio files",
            700,
        ),
        ({"type": "redacted_thinking", "data": "Eq0B" * 1_000}, "encrypted reasoning", 1_000),
        ({"type": "thinking", "thinking": "", "signature": "Eq0B" * 1_000}, "encrypted", 1_000),
        ({"type": "reasoning", "encrypted_content": "Eq0B" * 1_000}, "encrypted", 1_000),
    ],
)
def test_files_and_encrypted_reasoning_have_a_figure_and_mark_the_result(
    part: dict[str, Any], kind: str, least: int
) -> None:
    """Nobody can count them, so the result is estimated, and the receipt says why."""
    plan = {"p": {"messages": [{"type": "history"}]}}
    result = ContextAssembler(plan).assemble("p", history=[user(part)], budget=100_000)
    assert result.token_count >= least
    assert result.estimated
    assert result.receipt.estimated
    assert any(note.startswith("estimated:") and kind in note for note in result.receipt.notes)


def test_messages_as_providers_send_them_stay_exact() -> None:
    """Ids, nulls, marks and signatures of thoughts that are readable are no estimates."""
    history = [
        user({"type": "text", "text": "x", "cache_control": {"type": "ephemeral", "ttl": "5m"}}),
        {
            "role": "assistant",
            "content": [{"type": "thinking", "thinking": "I think so", "signature": "Eq0BCkY="}],
            "refusal": None,
            "annotations": [],
        },
    ]
    plan = {"p": {"messages": [{"type": "history"}]}}
    result = ContextAssembler(plan).assemble("p", history=history)
    assert not result.estimated
    assert result.receipt.notes == ()
    assert result.token_count == sum(map(default_counter().count, ("x", "I think so")))


@pytest.mark.parametrize("nothing", [None, "", [], {}, True])
def test_a_key_that_nobody_knows_counts_also_without_a_value(nothing: object) -> None:
    message = {"role": "user", "content": "hi", **{f"word {n}": nothing for n in range(200)}}
    plan = {"messages": [{"type": "history"}]}
    assembler = ContextAssembler({"p": plan})
    assert assembler.assemble("p", history=[message]).token_count > 400
    assert assembler.assemble("p", history=[message], budget=300).history == []
    known = {"refusal": None, "citations": None, "tool_calls": [], "is_error": False}
    bare = {"role": "user", "content": "hi"}
    counted = [assembler.assemble("p", history=[each]).token_count for each in (bare, bare | known)]
    assert counted[0] == counted[1]
