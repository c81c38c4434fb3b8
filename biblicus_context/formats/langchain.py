"""To LangChain's messages and back."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, Final, cast

from biblicus_context.base.doors import door
from biblicus_context.errors import FormatError, InputError, MissingExtraError
from biblicus_context.formats.arguments import ArgumentsError, object_in
from biblicus_context.formats.conversation import ConversationTurn, ToolCall, ToolResult
from biblicus_context.formats.dialect import ANYTHING, Dialect, ForeignParts, own
from biblicus_context.formats.openai.chat_reader import read
from biblicus_context.formats.openai.chat_writer import message_of, write
from biblicus_context.formats.pairs import paired, without_known_names
from biblicus_context.formats.plain import beside, items

if TYPE_CHECKING:
    from langchain_core.messages import AIMessage, BaseMessage

LANGCHAIN: Final = Dialect(
    name="LangChain",
    families=frozenset({"anthropic", "openai", "gemini", "reasoning_content", "plain"}),
    open_blocks=True,
    names=True,
    calls=frozenset({"function", "legacy"}),
    tool_name=ANYTHING,
)
_ROLE: Final = "__openai_role__"
"""The key under which LangChain marks a system message as a developer's."""
_KEPT: Final = ("refusal", "reasoning_content", "function_call")
_CALLS: Final = frozenset({"tool_use", "tool_call", "function_call"})
_KNOWN: Final = frozenset({*_KEPT, _ROLE, "tool_calls"})


@door
def to_langchain(
    messages: Iterable[Mapping[str, Any]], *, foreign: ForeignParts = "error"
) -> list[BaseMessage]:
    """Messages for `model.invoke(...)`; needs the library `langchain-core`."""
    lc = _library()
    turns = paired(own(read(messages), LANGCHAIN, foreign), LANGCHAIN)
    names = {call.id: call.name for turn in turns for call in turn.calls}
    return [_written(lc, turn, names) for turn in turns]


@door
def history_from_langchain(
    messages: Iterable[BaseMessage], *, foreign: ForeignParts = "error"
) -> list[dict[str, Any]]:
    """LangChain's messages as a history for the engine, without ids and token counts."""
    lc = _library()
    chat = [
        _read(lc, message, f"messages[{at}]", foreign)
        for at, message in enumerate(items(messages, "messages"))
    ]
    return write(without_known_names(read(chat)))


def _library() -> Any:
    try:
        from langchain_core import messages  # an optional library
    except ImportError as error:
        raise MissingExtraError("langchain-core", "langchain") from error
    return messages


def _written(lc: Any, turn: ConversationTurn, names: Mapping[str, str]) -> BaseMessage:
    if not turn.parts:
        fix = "Leave the message out."
        raise LANGCHAIN.refusal(turn, "wants content in each message", fix=fix)
    message = message_of(turn)
    content, name = message["content"] or "", turn.name or None
    match turn.role:
        case "system":
            written = lc.SystemMessage(content, name=name)
        case "developer":
            kept = {_ROLE: "developer"}
            written = lc.SystemMessage(content, name=name, additional_kwargs=kept)
        case "user":
            written = lc.HumanMessage(content, name=name)
        case "assistant":
            written = lc.AIMessage(content, name=name, **_beside(turn, message))
        case "tool":
            written = _result(lc, turn.result, content, names)
    return cast("BaseMessage", written)


def _result(lc: Any, result: ToolResult, content: Any, names: Mapping[str, str]) -> Any:
    if result.kind == "legacy":
        return lc.FunctionMessage(content, name=result.name)
    status = "error" if result.failed else "success"
    name = names[result.call_id]
    return lc.ToolMessage(content, tool_call_id=result.call_id, name=name, status=status)


def _beside(turn: ConversationTurn, message: Mapping[str, Any]) -> dict[str, Any]:
    """The keys of an assistant's message besides its content."""
    sound: list[dict[str, Any]] = []
    broken: list[dict[str, Any]] = []
    for call in turn.calls:
        if call.kind == "legacy":
            continue
        try:
            entry = {"type": "tool_call", "id": call.id, "name": call.name}
            sound.append({**entry, "args": object_in(call.arguments)})
        except ArgumentsError as error:
            broken.append(_broken(call, error))
            continue
        if broken:
            raise LANGCHAIN.refusal(
                turn,
                "moves calls whose arguments are not a JSON object after the others",
                broken[0]["args"],
                "Leave out this call and its result, or correct the arguments.",
            )
    return {
        "tool_calls": sound,
        "invalid_tool_calls": broken,
        "additional_kwargs": {key: message[key] for key in _KEPT if key in message},
    }


def _broken(call: ToolCall, error: ArgumentsError) -> dict[str, Any]:
    return {
        "type": "invalid_tool_call",
        "id": call.id,
        "name": call.name,
        "args": call.arguments,
        "error": str(error),
    }


def _read(lc: Any, message: Any, place: str, foreign: ForeignParts) -> dict[str, Any]:
    """A LangChain message as a chat message."""
    if not isinstance(message, lc.BaseMessage):
        raise InputError("this is not a message of LangChain", place=place, found=message)
    _refuse_strange(message, place, foreign)
    chat: dict[str, Any] = {"content": message.content, "name": message.name}
    match message:
        case lc.SystemMessage():
            return {**chat, "role": message.additional_kwargs.get(_ROLE, "system")}
        case lc.HumanMessage():
            return {**chat, "role": "user"}
        case lc.AIMessage():
            return {**chat, **_said(message), "role": "assistant"}
        case lc.ToolMessage():
            failed = {"is_error": True} if message.status == "error" else {}
            return {**chat, "role": "tool", "tool_call_id": message.tool_call_id, **failed}
        case lc.FunctionMessage():
            return {**chat, "role": "function"}
        case lc.ChatMessage():
            return {**chat, "role": message.role}
    raise InputError("this message has no role", place=place, found=type(message).__name__)


def _refuse_strange(message: BaseMessage, place: str, foreign: ForeignParts) -> None:
    strange = beside(_KNOWN, message.additional_kwargs)
    if strange and foreign == "error":
        raise FormatError(
            "these additional_kwargs belong to one integration of LangChain",
            place=place,
            found=strange,
            fix="Remove them, or pass foreign='drop'.",
        )


def _said(message: AIMessage) -> dict[str, Any]:
    """A model's message; calls that are also in the content are the same calls."""
    calls = [_entry(call) for call in (*message.tool_calls, *message.invalid_tool_calls)]
    content = message.content
    if not isinstance(content, str):
        content = [_with_arguments(block, calls) for block in content]
    kept = {key: message.additional_kwargs.get(key) for key in _KEPT}
    return {**kept, "content": content, "tool_calls": calls}


def _with_arguments(block: Any, calls: list[dict[str, Any]]) -> Any:
    """A block of the content; a call is taken from the calls, with their arguments."""
    if isinstance(block, str):
        return block
    if block.get("type") in _CALLS:
        identity = block.get("call_id", block.get("id"))
        call = next((each for each in calls if each["id"] == identity), None)
        if call is not None:
            calls.remove(call)
            function = call["function"]
            arguments = {"name": function["name"], "input": function["arguments"]}
            return {"type": "tool_use", "id": call["id"], **arguments}
    # Streaming numbers the blocks; their order says the same.
    return {key: item for key, item in block.items() if key != "index"}


def _entry(call: Mapping[str, Any]) -> dict[str, Any]:
    function = {"name": call["name"], "arguments": call["args"]}
    return {"id": call["id"], "type": "function", "function": function}
