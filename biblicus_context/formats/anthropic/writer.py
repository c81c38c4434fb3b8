"""From a conversation to the arguments of Anthropic's Messages API."""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from itertools import groupby, pairwise
from typing import Any, Final, cast

from biblicus_context.base.doors import door
from biblicus_context.errors import InputError
from biblicus_context.formats.anthropic.blocks import ANTHROPIC, block_of
from biblicus_context.formats.cache_auto import automatic
from biblicus_context.formats.cache_marks import (
    CacheLifetime,
    CacheMarks,
    MarkableBlock,
    Place,
    given_marks,
    marked,
)
from biblicus_context.formats.conversation import Conversation, ConversationTurn, MessageText
from biblicus_context.formats.dialect import ForeignParts, own
from biblicus_context.formats.openai.chat_reader import read
from biblicus_context.formats.pairs import paired
from biblicus_context.formats.sdk_types import AnthropicArguments
from biblicus_context.formats.system_texts import LateSystemMessages, divided
from biblicus_context.formats.tools import tools_for

_LIFETIMES: Final = ("5m", "1h")


@door
def to_anthropic(
    messages: Iterable[Mapping[str, Any]],
    *,
    tools: Iterable[Mapping[str, Any]] = (),
    cache: CacheMarks = "auto",
    ttl: CacheLifetime | None = None,
    steady: int = 0,
    fetched: bool = False,
    late_system: LateSystemMessages = "error",
    foreign: ForeignParts = "error",
) -> AnthropicArguments:
    """Arguments for `client.messages.create(model=..., max_tokens=..., **these)`.

    For the marks of `cache="auto"`: `steady` is the number of characters at the start of the first
    message that are the same in every call; `fetched` says whether evidence for the current
    question follows them.

    >>> to_anthropic([{"role": "user", "content": "Hello."}], cache="off")
    {'messages': [{'role': 'user', 'content': [{'type': 'text', 'text': 'Hello.'}]}]}
    """
    turns = paired(own(read(messages), ANTHROPIC, foreign), ANTHROPIC)
    system, rest, late = divided(turns, ANTHROPIC, late_system)
    _refuse_misplaced_system(rest)
    _refuse_space_at_the_end(rest[-1])
    blocks = [
        *(MarkableBlock("tools", -1, {**tool}) for tool in tools_for("anthropic", tools)),
        *_blocks(system, "system prompt"),
        *_blocks(rest, late=late),
    ]
    marks = automatic(blocks, steady, fetched=fetched) if cache == "auto" else given_marks(cache)
    return cast("AnthropicArguments", _arguments(marked(blocks, marks, _lifetime(ttl))))


def _blocks(
    turns: Conversation, place: Place | None = None, late: Container[int] = ()
) -> Iterator[MarkableBlock]:
    for turn in turns:
        if not turn.parts:
            fix = "Leave the message out."
            raise ANTHROPIC.refusal(turn, "wants content in each message", fix=fix)
        start = 0
        for part in turn.parts:
            body = block_of(turn, part)
            yield MarkableBlock(
                place or _speaker(turn), turn.number, body, turn.number in late, start
            )
            start += len(part.text) if isinstance(part, MessageText) else 0


def _speaker(turn: ConversationTurn) -> Place:
    match turn.role:
        case "assistant" | "system":
            return turn.role
    return "user"


def _lifetime(ttl: CacheLifetime | None) -> CacheLifetime | None:
    if ttl is not None and ttl not in _LIFETIMES:
        raise InputError("unknown lifetime", place="ttl", found=ttl, valid=_LIFETIMES)
    return ttl


def _arguments(blocks: Sequence[MarkableBlock]) -> dict[str, Any]:
    """The blocks as arguments; successive blocks of one role are one message."""
    arguments: dict[str, Any] = {}
    messages: list[dict[str, Any]] = []
    for place, run in groupby(blocks, lambda block: block.place):
        bodies = [block.body for block in run]
        match place:
            case "tools":
                arguments["tools"] = bodies
            case "system prompt":
                arguments["system"] = bodies
            case role:
                messages.append({"role": role, "content": bodies})
    return {**arguments, "messages": messages}


def _refuse_misplaced_system(turns: Conversation) -> None:
    """Check that a later system message is after a user's and before a model's, or at the end."""
    for before, turn in pairwise(turns):
        after_model = turn.role == "system" and before.role == "assistant"
        before_user = before.role == "system" and turn.role == "user"
        if after_model or before_user:
            raise ANTHROPIC.refusal(
                turn if after_model else before,
                "takes a later system message only between a user's message and the model's",
                fix="Place it there, or pass late_system='user'.",
            )


def _refuse_space_at_the_end(last: ConversationTurn) -> None:
    part = last.parts[-1] if last.parts else None
    if (
        last.role == "assistant"
        and isinstance(part, MessageText)
        and part.text != part.text.rstrip()
    ):
        raise ANTHROPIC.refusal(
            last,
            "does not take white space at the end of a message that it continues",
            part.text[-20:],
            "Strip it.",
        )
