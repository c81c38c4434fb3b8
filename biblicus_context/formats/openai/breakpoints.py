"""Explicit breakpoints for OpenAI's prompt cache, where Anthropic's would have its marks."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import takewhile
from types import MappingProxyType
from typing import Final, cast

from biblicus_context.errors import InputError
from biblicus_context.formats.cache_auto import automatic
from biblicus_context.formats.cache_marks import (
    MOST_MARKS,
    CacheMarks,
    MarkableBlock,
    MarkAfter,
    Place,
    given_marks,
)
from biblicus_context.formats.conversation import (
    Conversation,
    ConversationTurn,
    MessageText,
    Part,
)

KEY: Final = "prompt_cache_breakpoint"
_BREAKPOINT: Final = MappingProxyType({"mode": "explicit"})
_SYSTEM: Final = frozenset({"system", "developer"})


def with_breakpoints(
    turns: Conversation, cache: CacheMarks, steady: int, *, fetched: bool, assistant: bool
) -> Conversation:
    """The conversation with a breakpoint at the end of each part that the next call repeats.

    Tools have none of their own: they are before the first text, so its breakpoint keeps them, too.
    `assistant` says whether a text of the model may have one.
    """
    if cache == "off":
        return turns
    blocks = [*_blocks(turns, assistant=assistant)]
    if cache == "auto":
        has_talk = any(block.place != "system prompt" for block in blocks)
        marks = automatic(blocks, steady, fetched=fetched) if has_talk else []
    else:
        marks = [*given_marks(cache)]
    by_number = {turn.number: turn for turn in turns}
    for mark in marks:
        if not isinstance(mark, MarkAfter):
            continue
        turn = by_number.get(mark.message)
        marked = None if turn is None else _marked(turn, mark, assistant=assistant)
        if marked is None:
            raise InputError("nothing here can end a cached part", place="cache", found=mark)
        by_number[mark.message] = marked
    done = tuple(by_number[turn.number] for turn in turns)
    count = sum(block.is_marked for block in _blocks(done, assistant=assistant))
    if count > MOST_MARKS:
        problem = f"OpenAI writes {MOST_MARKS} breakpoints of a request"
        fix = "Breakpoints in the messages count too; cache='auto' adds only as many as are left."
        raise InputError(problem, place="cache", found=count, fix=fix)
    return done


def _blocks(turns: Conversation, *, assistant: bool) -> Iterator[MarkableBlock]:
    """The texts that may have a breakpoint, as what places marks sees them."""
    leading = len([*takewhile(lambda turn: turn.role in _SYSTEM, turns)])
    for at, turn in enumerate(turns):
        place: Place = "system prompt" if at < leading else "user"
        if turn.role == "assistant":
            place = "assistant"
        start = 0
        for part in _texts(turn):
            if not part.text or (turn.role == "assistant" and not assistant):
                continue
            kind = "tool_result" if turn.role == "tool" else "text"
            body = {"type": kind, "text": part.text, **part.extra}
            is_late = at >= leading and turn.role in _SYSTEM
            yield MarkableBlock(place, turn.number, body, is_late, start)
            start += len(part.text)


def _texts(turn: ConversationTurn) -> Sequence[MessageText]:
    parts = turn.result.content if turn.role == "tool" else turn.parts
    return [part for part in parts if isinstance(part, MessageText)]


def _marked(turn: ConversationTurn, mark: MarkAfter, *, assistant: bool) -> ConversationTurn | None:
    """The turn with a breakpoint; None where no text ends there."""
    if turn.role == "assistant" and not assistant:
        return None
    if turn.role == "tool":
        content = _with_mark(turn.result.content, mark.characters)
        if content is None:
            return None
        kept = cast("tuple[MessageText, ...]", content)
        return replace(turn, parts=(replace(turn.result, content=kept),))
    parts = _with_mark(turn.parts, mark.characters)
    return None if parts is None else replace(turn, parts=parts)


def _with_mark(parts: Sequence[Part], characters: int | None) -> tuple[Part, ...] | None:
    """The parts with a breakpoint after so many characters, or at the end of the last text."""
    texts = {
        at: part.text
        for at, part in enumerate(parts)
        if isinstance(part, MessageText) and part.text
    }
    if not texts:
        return None
    at, end = _end(texts, characters)
    whole = cast("MessageText", parts[at])
    if end is None:
        return None
    first = MessageText(whole.text[:end], {**whole.extra, KEY: dict(_BREAKPOINT)})
    rest = [MessageText(whole.text[end:], whole.extra)] if whole.text[end:] else []
    return (*parts[:at], first, *rest, *parts[at + 1 :])


def _end(texts: Mapping[int, str], characters: int | None) -> tuple[int, int | None]:
    """The text in which a cached part ends, and after how many of its characters."""
    last = [*texts][-1]
    if characters is None:
        return last, len(texts[last])
    start = 0
    for at, words in texts.items():
        if start < characters <= start + len(words):
            return at, characters - start
        start += len(words)
    return last, None
