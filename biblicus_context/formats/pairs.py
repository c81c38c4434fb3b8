"""Tool calls and their results: all providers need each result directly after its call."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from biblicus_context.formats.conversation import Conversation, ConversationTurn, ToolCall
from biblicus_context.formats.dialect import Dialect


def paired(turns: Conversation, dialect: Dialect) -> Conversation:
    """The conversation if each call has one result after it, and each result its call."""
    _refuse_repeated_ids(turns, dialect)
    return tuple(_paired(turns, dialect))


def _paired(turns: Conversation, dialect: Dialect) -> Iterator[ConversationTurn]:
    caller: ConversationTurn | None = None
    waiting: dict[str, ToolCall] = {}
    for turn in turns:
        if turn.role == "tool":
            yield _answered(turn, waiting, dialect)
            continue
        _refuse_waiting(caller, waiting, dialect)
        caller, waiting = turn, {_key(call): call for call in turn.calls}
        yield turn
    _refuse_waiting(caller, waiting, dialect)


def without_known_names(turns: Conversation) -> Conversation:
    """The conversation without the names on results that repeat the name of the call."""
    names: dict[str, str] = {}
    kept: list[ConversationTurn] = []
    for turn in turns:
        names |= {call.id: call.name for call in turn.calls if call.kind != "legacy"}
        is_known = turn.role == "tool" and turn.result.name == names.get(turn.result.call_id)
        kept.append(_unnamed(turn) if is_known else turn)
    return tuple(kept)


def _answered(
    turn: ConversationTurn, waiting: dict[str, ToolCall], dialect: Dialect
) -> ConversationTurn:
    result = turn.result
    call = waiting.pop(result.call_id or f"legacy {result.name}", None)
    if call is None:
        raise dialect.refusal(
            turn,
            "needs exactly one result directly after each tool call",
            result.call_id or result.name,
            "Pass the assistant message with this call, and then its results.",
        )
    if result.name not in {"", call.name}:
        problem = f"has the tool's name in the call, which is {call.name!r}"
        raise dialect.refusal(turn, problem, result.name)
    return turn if result.kind == "legacy" else _unnamed(turn)


def _unnamed(turn: ConversationTurn) -> ConversationTurn:
    return replace(turn, parts=(replace(turn.result, name=""),))


def _refuse_waiting(
    caller: ConversationTurn | None, waiting: dict[str, ToolCall], dialect: Dialect
) -> None:
    if caller is not None and waiting:
        raise dialect.refusal(
            caller,
            "needs the results of tool calls directly after them",
            ", ".join(call.id or call.name for call in waiting.values()),
            "Add the results as messages of role tool, or leave out the calls.",
        )


def _refuse_repeated_ids(turns: Conversation, dialect: Dialect) -> None:
    seen: set[str] = set()
    for turn in turns:
        here = [_key(call) for call in turn.calls]
        repeated = next((key for key in here if here.count(key) > 1), None)
        if dialect.ids_once:
            repeated = repeated or next((key for key in here if key in seen), None)
        if repeated is not None:
            raise dialect.refusal(turn, "needs a unique id for each tool call", repeated)
        seen.update(here)


def _key(call: ToolCall) -> str:
    return call.id or f"legacy {call.name}"
