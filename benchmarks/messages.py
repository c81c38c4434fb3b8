"""What a conversation is made of, free of any library's own types."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping


@dataclass(frozen=True, slots=True)
class ToolCall:
    """An assistant asking for one tool."""

    id: str
    name: str
    arguments: str


@dataclass(frozen=True, slots=True)
class Message:
    """One message; `answers` is the id of the tool call that a tool result belongs to."""

    role: str
    content: str | None
    calls: tuple[ToolCall, ...] = ()
    answers: str | None = None

    def as_dict(self) -> dict[str, Any]:
        """The message as chat APIs take it."""
        told: dict[str, Any] = {"role": self.role, "content": self.content}
        if self.calls:
            told["tool_calls"] = [_call_as_dict(call) for call in self.calls]
        if self.answers:
            told["tool_call_id"] = self.answers
        return told

    @classmethod
    def from_dict(cls, told: Mapping[str, Any]) -> Message:
        """The message that a chat API would be sent."""
        calls = tuple(
            ToolCall(call["id"], call["function"]["name"], call["function"]["arguments"])
            for call in told.get("tool_calls", ())
        )
        return cls(told["role"], told["content"], calls, told.get("tool_call_id"))


def orphans(messages: Iterable[Message]) -> int:
    """Tool results without their call, and calls without all their results."""
    open_calls: set[str] = set()
    lost_results = 0
    for message in messages:
        open_calls.update(call.id for call in message.calls)
        if message.answers is None:
            continue
        if message.answers in open_calls:
            open_calls.remove(message.answers)
        else:
            lost_results += 1
    return lost_results + len(open_calls)


def _call_as_dict(call: ToolCall) -> dict[str, Any]:
    return {
        "id": call.id,
        "type": "function",
        "function": {"name": call.name, "arguments": call.arguments},
    }
