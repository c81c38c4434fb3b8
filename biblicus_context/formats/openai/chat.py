"""OpenAI's chat messages, the shape that the engine itself works with."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import Any, Final, Literal, cast

from biblicus_context.base.doors import door
from biblicus_context.formats.cache_marks import CacheMarks
from biblicus_context.formats.conversation import (
    ConversationTurn,
    ImagePart,
    MessageText,
    OtherPart,
    Part,
    kind_of,
)
from biblicus_context.formats.dialect import Dialect, ForeignParts, own
from biblicus_context.formats.openai.breakpoints import with_breakpoints
from biblicus_context.formats.openai.chat_reader import read
from biblicus_context.formats.openai.chat_writer import write
from biblicus_context.formats.pairs import paired
from biblicus_context.formats.sdk_types import OpenAIMessages

CHAT: Final = Dialect(
    name="OpenAI chat",
    extras={
        ConversationTurn: frozenset({"audio"}),
        MessageText: frozenset({"prompt_cache_breakpoint"}),
        ImagePart: frozenset({"prompt_cache_breakpoint", "detail"}),
    },
    names=True,
    failures=False,
    calls=frozenset({"function", "custom", "legacy"}),
    tool_name=re.compile(r"[a-zA-Z0-9_-]{1,64}"),
)
_SPEAKER: Final = re.compile(r"[^\s<|\\/>]{1,64}")
_FILES: Final = frozenset({"input_audio", "file"})
_ONLY: Final[Mapping[str, str]] = MappingProxyType(
    {
        "system": "takes only text in a system message",
        "developer": "takes only text in a developer message",
        "user": "takes text, images, audio and files in a user message",
        "assistant": "takes only text, refusals and tool calls in an assistant message",
        "tool": "takes only text as a tool's result",
    }
)


@door
def to_openai(
    messages: Iterable[Mapping[str, Any]],
    *,
    cache: CacheMarks = "off",
    steady: int = 0,
    fetched: bool = False,
    foreign: ForeignParts | Literal["keep"] = "error",
) -> OpenAIMessages:
    """Messages for `client.chat.completions.create(messages=...)`.

    With `foreign="keep"` they may have keys that OpenAI does not know, for other servers. `cache="auto"`
    sets explicit breakpoints, which models since gpt-5.6 take, where `to_anthropic` sets its marks.

    >>> to_openai([{"role": "user", "content": [{"type": "text", "text": "Hello."}]}])
    [{'role': 'user', 'content': 'Hello.'}]
    """
    if foreign == "keep":
        turns = paired(read(messages), CHAT)
    else:
        turns = paired(own(read(messages), CHAT, foreign), CHAT)
        for turn in turns:
            _check(turn)
    marked = with_breakpoints(turns, cache, steady, fetched=fetched, assistant=True)
    return cast("OpenAIMessages", write(marked))


@door
def history_from_openai(messages: Iterable[object]) -> list[dict[str, Any]]:
    """Chat messages, or the SDK's objects, as a history for the engine.

    It leaves out answers without content: OpenAI may give them, and refuses them in a request.

    >>> history_from_openai([{"role": "model", "content": "Hi.", "refusal": None}])
    [{'role': 'assistant', 'content': 'Hi.'}]
    """
    said = read(messages)
    return write(tuple(turn for turn in said if turn.role != "assistant" or not _is_empty(turn)))


def _is_empty(turn: ConversationTurn) -> bool:
    return not turn.parts and "audio" not in turn.extra


def _check(turn: ConversationTurn) -> None:
    if _is_empty(turn):
        raise CHAT.refusal(turn, "wants content in each message", fix="Leave the message out.")
    if turn.name and not _SPEAKER.fullmatch(turn.name):
        raise CHAT.refusal(turn, "does not take a speaker of this name", turn.name)
    parts = turn.result.content if turn.role == "tool" else turn.parts
    for part in parts:
        if not _takes(turn, part):
            found = kind_of(part)
            raise CHAT.refusal(turn, _ONLY[turn.role], found)
    _refuse_interleaved(turn)


def _takes(turn: ConversationTurn, part: Part) -> bool:
    match part:
        case MessageText():
            return True
        case ImagePart():
            return turn.role == "user"
        case OtherPart():
            return turn.role == "user" and part.kind in _FILES
        case _:
            return turn.role == "assistant"


def _refuse_interleaved(turn: ConversationTurn) -> None:
    calls = turn.calls
    if calls and turn.parts[-len(calls) :] != calls:
        raise CHAT.refusal(
            turn,
            "writes tool calls after the content",
            fix="Put the text before the call, or use the Responses API.",
        )
