"""Transcripts: messages with a role or a speaker become turns, each with its text and tool calls."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from biblicus_context.ingest.chunks.section import Section
from biblicus_context.ingest.readers.record_fields import fields_of, first_of
from biblicus_context.retrieval.origin import ORIGIN
from biblicus_context.stores.model import Json

_SAYING = ("content", "text", "tool_calls", "function_call")
_SPEAKERS = ("speaker", "name", "author", "role")
_SPEAKING = ("speaker",)
"""A name or an author is not enough: products have names, and articles have authors."""
_SESSIONS = (
    "session", "session_id", "conversation", "conversation_id", "thread", "thread_id", "meeting"
)  # fmt: skip
_TIMES = ("date", "time", "timestamp", "created_at")
_IDS = ("message_id", "id", "uuid")
_HANDED = ("arguments", "input", "args")


def turns_of(records: Sequence[tuple[int | None, Any]]) -> tuple[Section, ...] | None:
    """The turns of records that are all messages, or all sessions; None otherwise."""
    if not records:
        return None
    if all(_is_turn(record) for _, record in records):
        return tuple(_turn(record, line) for line, record in records)
    if all(_is_session(record) for _, record in records):
        return tuple(_turns(records)) or None
    return None


def _is_turn(value: Any) -> bool:
    """Whether somebody says something: it has a role, a speaker, or an author within a session."""
    if not isinstance(value, dict) or not any(key in value for key in _SAYING):
        return False
    fields = fields_of(value)
    if "role" in fields or first_of(fields, _SPEAKING):
        return True
    return bool(first_of(fields, _SPEAKERS) and first_of(fields, _SESSIONS))


def _is_session(value: Any) -> bool:
    messages = value.get("messages") if isinstance(value, dict) else None
    return isinstance(messages, list) and all(map(_is_turn, messages))


def _turns(records: Sequence[tuple[int | None, Any]]) -> Iterator[Section]:
    for number, (line, record) in enumerate(records, 1):
        fields = fields_of(record)
        session = first_of(fields, _SESSIONS) or (f"session {number}" if len(records) > 1 else "")
        date = first_of(fields, _TIMES)
        for turn in record["messages"]:
            yield _turn(turn, line, session=session, date=date)


def _turn(
    said: Mapping[str, Any], line: int | None, *, session: str = "", date: str = ""
) -> Section:
    turn = fields_of(said)
    metadata: dict[str, Json] = {"role": str(turn["role"])} if "role" in turn else {}
    if date := first_of(turn, _TIMES) or date:
        metadata["date"] = date
    if message := first_of(turn, _IDS):
        metadata[ORIGIN] = {"messages": [message]}
    return Section(
        "\n".join(filter(None, _said(turn))),
        first_line=line,
        last_line=line,
        kind="turn",
        session=first_of(turn, _SESSIONS) or session or None,
        metadata=metadata,
        name=first_of(turn, _SPEAKERS),
    )


def _said(turn: Mapping[str, Any]) -> Iterator[str]:
    yield "\n".join(_texts(turn.get("content", turn.get("text"))))
    for call in (*_listed(turn.get("tool_calls")), turn.get("function_call")):
        yield from _call(call)


def _texts(content: Any) -> Iterator[str]:
    """The content, or its texts, tool calls and tool results if it has parts."""
    for part in _listed(content):
        form = part.get("type") if isinstance(part, dict) else None
        if form == "tool_use":
            yield from _call(part)
        else:
            yield from _plain(_listed(part.get("content")) if form == "tool_result" else [part])


def _listed(content: Any) -> list[Any]:
    return content if isinstance(content, list) else [content]


def _plain(parts: Iterable[Any]) -> Iterator[str]:
    texts = (part.get("text") if isinstance(part, dict) else part for part in parts)
    return (text for text in texts if isinstance(text, str))


def _call(call: Any) -> Iterator[str]:
    """The name of a tool and its arguments, in the format of any provider."""
    if not isinstance(call, dict):
        return
    inner = next((call[key] for key in ("function", "custom") if key in call), call)
    name = inner.get("name") if isinstance(inner, dict) else None
    if not name or not isinstance(name, str):
        return
    handed = next((inner[key] for key in _HANDED if inner.get(key) is not None), "")
    text = handed if isinstance(handed, str) else json.dumps(handed, ensure_ascii=False)
    yield f"[calls {name}] {text}".rstrip()
